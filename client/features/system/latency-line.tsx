import { Group, Text } from '@mantine/core';
import { useLayoutEffect, useState } from 'react';
import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import { counted, digits } from '../../lib/format-count.ts';
import classes from './system.module.css';

const WIDTH = 190;
const HEIGHT = 28;
/** The number of checks in the line; the sentence covers all checks. */
const LINE_CHECKS_MAX = 60;

/**
 * Latency of the most recent checks, from zero to the highest; a failed check leaves a marked gap. Text if no check has
 * a latency and none failed.
 */
export function LatencyLine({ checks }: { checks: readonly Check[] }) {
  const recent = checks.slice(-LINE_CHECKS_MAX);
  const sentence = formatChecks(checks);
  const range = latencyRange(recent);
  const scale = (words: string) => (
    <Text span size="xs" c="dimmed">
      {words}
    </Text>
  );
  if (range === undefined && recent.every(({ up }) => up)) return scale(sentence);
  const most = Math.max(1, range?.most ?? 1);
  const x = (index: number): number => 2 + (recent.length < 2 ? 1 : index / (recent.length - 1)) * (WIDTH - 4);
  const y = (ms: number): number => HEIGHT - 3 - (ms / most) * (HEIGHT - 6);
  const path = recent.map(({ latencyMs }, index) => {
    if (latencyMs === null) return '';
    const [before, after] = [recent[index - 1], recent[index + 1]].map((check) => typeof check?.latencyMs === 'number');
    // A check without neighbours becomes a dash.
    return `${before ? 'L' : 'M'}${x(index).toFixed(1)} ${y(latencyMs).toFixed(1)}${before || after ? '' : 'h-5'}`;
  });
  return (
    <Group gap="sm" wrap="nowrap">
      <svg className={classes.line} width={WIDTH} height={HEIGHT} role="img" aria-label={sentence}>
        <title>{sentence}</title>
        <line x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <path d={path.join('')} />
        {recent.map(
          ({ checkedAt, latencyMs, up }, index) =>
            latencyMs === null && !up && <circle key={checkedAt} cx={x(index)} cy={HEIGHT - 3} r={2} />,
        )}
      </svg>
      {range !== undefined && scale(`0–${digits(most)} ms`)}
    </Group>
  );
}

interface Check {
  /** ISO 8601. Two responses with the same time are one check. */
  checkedAt: string;
  latencyMs: number | null;
  up: boolean;
}

export type Checks = ReadonlyMap<ServiceName, readonly Check[]>;

/** One hour of checks every 5 s. */
const CHECKS_MAX = 720;

/** Collects checks while the page is open; leaving the page discards them. */
export function useChecks(services: readonly ServiceState[] | undefined): Checks {
  const [checks, setChecks] = useState<Checks>(new Map());
  useLayoutEffect(() => {
    if (services !== undefined) setChecks((before) => withLatest(before, services));
  }, [services]);
  return checks;
}

function withLatest(checks: Checks, services: readonly ServiceState[]): Checks {
  const next = new Map(checks);
  for (const { name, checked_at: checkedAt, latency_ms: latencyMs, status } of services) {
    const before = checks.get(name) ?? [];
    if (status === 'not_configured' || before.at(-1)?.checkedAt === checkedAt) continue;
    next.set(name, [...before, { checkedAt, latencyMs, up: status === 'up' }].slice(-CHECKS_MAX));
  }
  return next;
}

function latencyRange(checks: readonly Check[]): { least: number; most: number } | undefined {
  const latencies = checks.flatMap(({ latencyMs }) => latencyMs ?? []);
  return latencies.length === 0 ? undefined : { least: Math.min(...latencies), most: Math.max(...latencies) };
}

/** `12 checks, all up, 3 to 41 ms` */
function formatChecks(checks: readonly Check[]): string {
  if (checks.length === 0) return 'Not checked yet';
  const up = checks.filter((check) => check.up).length;
  const share = up < checks.length ? `${digits(up)} of them up` : up === 1 ? 'up' : 'all up';
  const range = latencyRange(checks);
  const latencies =
    range && `, ${range.least === range.most ? '' : `${digits(range.least)} to `}${digits(range.most)} ms`;
  return `${counted(checks.length, 'check', 'checks')}, ${share}${latencies ?? ''}`;
}
