import { useState } from 'react';
import type { ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import { counted, digits } from '../../lib/format-count.ts';
import classes from './system.module.css';

const WIDTH = 120;
const HEIGHT = 28;
/** How many checks are drawn; the text next to the line covers all of them. */
const DRAWN_MAX = 60;

/** Latency of the most recent checks from left to right; a failed check leaves a gap with a mark. One alone is no line. */
export function LatencyLine({ samples }: { samples: readonly Sample[] }) {
  const drawn = samples.slice(-DRAWN_MAX);
  const most = Math.max(1, spreadOf(drawn)?.most ?? 1);
  const x = (index: number): number => (drawn.length < 2 ? WIDTH - 2 : (index / (drawn.length - 1)) * (WIDTH - 4) + 2);
  const y = (ms: number): number => HEIGHT - 3 - (ms / most) * (HEIGHT - 6);
  let path = '';
  drawn.forEach(({ latencyMs }, index) => {
    if (latencyMs === null) return;
    const goesOn = drawn[index - 1]?.latencyMs !== undefined && drawn[index - 1]?.latencyMs !== null;
    path += `${goesOn ? 'L' : 'M'}${x(index).toFixed(1)} ${y(latencyMs).toFixed(1)}`;
  });
  return (
    <span className={classes.latency}>
      <svg className={classes.line} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
        <path d={path} />
        {drawn.map(
          ({ checkedAt, latencyMs, up }, index) =>
            latencyMs === null &&
            !up && <circle key={checkedAt} className={classes.missing} cx={x(index)} cy={HEIGHT - 3} r={2} />,
        )}
      </svg>
      <span className={classes.samples}>{formatSamples(samples)}</span>
    </span>
  );
}

/** Result of one check of a service. */
export interface Sample {
  /** ISO 8601; two responses about the same check are one sample. */
  checkedAt: string;
  latencyMs: number | null;
  up: boolean;
}

export type Samples = ReadonlyMap<ServiceName, readonly Sample[]>;

/** An hour of checks every 5 s: older ones are dropped. */
export const SAMPLES_MAX = 720;

export function withAnswer(samples: Samples, services: readonly ServiceState[]): Samples {
  const next = new Map(samples);
  for (const { name, checked_at: checkedAt, latency_ms: latencyMs, status } of services) {
    const before = samples.get(name) ?? [];
    if (status === 'not_configured' || before.at(-1)?.checkedAt === checkedAt) continue;
    next.set(name, [...before, { checkedAt, latencyMs, up: status === 'up' }].slice(-SAMPLES_MAX));
  }
  return next;
}

/** Of successful checks; null without any. */
export interface Spread {
  least: number;
  median: number;
  most: number;
}

export function spreadOf(samples: readonly Sample[]): Spread | null {
  const sorted = samples.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return least === undefined || median === undefined || most === undefined ? null : { least, median, most };
}

/** Describes the latency line: `12 checks, all up, 3 to 41 ms`. */
export function formatSamples(samples: readonly Sample[]): string {
  if (samples.length === 0) return 'Not checked yet';
  const checks = counted(samples.length, 'check', 'checks');
  const up = samples.filter(({ up }) => up).length;
  const share = up === samples.length ? (up === 1 ? 'up' : 'all up') : `${digits(up)} of them up`;
  const spread = spreadOf(samples);
  if (spread === null) return `${checks}, ${share}`;
  const { least, most } = spread;
  const range = least === most ? milliseconds(least) : `${digits(least)} to ${milliseconds(most)}`;
  return `${checks}, ${share}, ${range}`;
}

export const milliseconds = (ms: number): string => `${digits(ms)} ms`;

const NONE: Samples = new Map();

/** Collects every check since the page was opened; leaving the page discards them. */
export function useSamples(answer: Services | undefined): Samples {
  const [kept, setKept] = useState<{ answer: Services | undefined; samples: Samples }>({
    answer: undefined,
    samples: NONE,
  });
  if (answer === undefined || answer === kept.answer) return kept.samples;
  const samples = withAnswer(kept.samples, answer.services);
  setKept({ answer, samples });
  return samples;
}
