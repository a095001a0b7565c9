import { Group, Text } from '@mantine/core';
import { useLayoutEffect, useState } from 'react';
import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import { counted, digits } from '../../lib/format-count.ts';
import classes from './system.module.css';

const WIDTH = 190;
const HEIGHT = 28;
/** How many checks the line shows. The sentence covers all checks. */
const LINE_CHECKS_MAX = 60;

/**
 * The latency of the latest checks, from zero to the highest. A failed check leaves a marked gap. If no check has a
 * latency and none failed, shows text instead.
 */
export function LatencyLine({ checks }: { checks: readonly ServiceState[] }) {
  const recent = checks.slice(-LINE_CHECKS_MAX);
  const sentence = formatChecks(checks);
  const range = latencyRange(recent);
  const scale = (words: string) => (
    <Text span size="xs" c="dimmed">
      {words}
    </Text>
  );
  if (range === undefined && recent.every(isUp)) return scale(sentence);
  const most = Math.max(1, range?.most ?? 1);
  const x = (index: number): number => 2 + (recent.length < 2 ? 1 : index / (recent.length - 1)) * (WIDTH - 4);
  const y = (ms: number): number => HEIGHT - 3 - (ms / most) * (HEIGHT - 6);
  const path = recent.map(({ latency_ms }, index) => {
    if (latency_ms === null) return '';
    const [before, after] = [recent[index - 1], recent[index + 1]].map(
      (check) => typeof check?.latency_ms === 'number',
    );
    // A check without neighbours becomes a dash.
    return `${before ? 'L' : 'M'}${x(index).toFixed(1)} ${y(latency_ms).toFixed(1)}${before || after ? '' : 'h-5'}`;
  });
  return (
    <Group gap="sm" wrap="nowrap">
      <svg className={classes.line} width={WIDTH} height={HEIGHT} role="img" aria-label={sentence}>
        <title>{sentence}</title>
        <line x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <path d={path.join('')} />
        {recent.map(
          (check, index) =>
            check.latency_ms === null &&
            !isUp(check) && <circle key={check.checked_at} cx={x(index)} cy={HEIGHT - 3} r={2} />,
        )}
      </svg>
      {range !== undefined && scale(`0–${digits(most)} ms`)}
    </Group>
  );
}

/** States of a service with the same time are from the same check. */
export type Checks = ReadonlyMap<ServiceName, readonly ServiceState[]>;

/** One hour of checks every 5 s. */
const CHECKS_MAX = 720;

/** Collects checks while the page is open. They are discarded when the operator leaves. */
export function useChecks(services: readonly ServiceState[] | undefined): Checks {
  const [checks, setChecks] = useState<Checks>(new Map());
  useLayoutEffect(() => {
    if (services !== undefined) setChecks((before) => withLatest(before, services));
  }, [services]);
  return checks;
}

function withLatest(checks: Checks, services: readonly ServiceState[]): Checks {
  const next = new Map(checks);
  for (const service of services) {
    const before = checks.get(service.name) ?? [];
    if (service.status === 'not_configured' || before.at(-1)?.checked_at === service.checked_at) continue;
    next.set(service.name, [...before, service].slice(-CHECKS_MAX));
  }
  return next;
}

const isUp = ({ status }: ServiceState): boolean => status === 'up';

function latencyRange(checks: readonly ServiceState[]): { least: number; most: number } | undefined {
  const latencies = checks.flatMap(({ latency_ms }) => latency_ms ?? []);
  return latencies.length === 0 ? undefined : { least: Math.min(...latencies), most: Math.max(...latencies) };
}

/** `12 checks, all up, 3 to 41 ms` */
function formatChecks(checks: readonly ServiceState[]): string {
  if (checks.length === 0) return 'Not checked yet';
  const up = checks.filter(isUp).length;
  const share = up < checks.length ? `${digits(up)} of them up` : up === 1 ? 'up' : 'all up';
  const range = latencyRange(checks);
  const latencies =
    range && `, ${range.least === range.most ? '' : `${digits(range.least)} to `}${digits(range.most)} ms`;
  return `${counted(checks.length, 'check', 'checks')}, ${share}${latencies ?? ''}`;
}
