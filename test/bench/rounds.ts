import type { LoadResult } from './load.ts';
import type { Subject } from './subjects.ts';

export interface Rounds {
  count: number;
  seconds: number;
}

/** Rounds in which every subject has its turn, so that what else the machine does falls on all alike. */
export async function interleaved<T>(
  subjects: Record<string, Subject>,
  rounds: number,
  measure: (subject: Subject, name: string) => Promise<T>,
): Promise<Record<string, T[]>> {
  const results: Record<string, T[]> = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, subject] of Object.entries(subjects)) results[name]?.push(await measure(subject, name));
  return results;
}

export async function stopAll(subjects: Record<string, Subject>): Promise<void> {
  for (const { process } of Object.values(subjects)) await process.stop();
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

export const medianLoad = (results: readonly LoadResult[]): LoadResult => ({
  requestsPerSecond: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
  cpuMicroseconds: median(results.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  p99Milliseconds: median(results.map(({ p99Milliseconds }) => p99Milliseconds)),
  failures: results.reduce((sum, { failures }) => sum + failures, 0),
});

/** Warms every subject up, measures it in rounds, and takes the middle. */
export async function measured(
  subjects: Record<string, Subject>,
  rounds: number,
  measure: (subject: Subject, name: string) => Promise<LoadResult>,
): Promise<Record<string, LoadResult>> {
  await interleaved(subjects, 1, measure);
  const results = await interleaved(subjects, rounds, measure);
  return Object.fromEntries(Object.entries(results).map(([name, list]) => [name, medianLoad(list)]));
}
