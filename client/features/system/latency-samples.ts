import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import { counted, digits } from '../../format/counted.ts';

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
