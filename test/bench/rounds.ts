import type { LoadResult } from './load.ts';
import type { Subject } from './subjects.ts';

export interface Rounds {
  count: number;
  seconds: number;
}

/** Measures the subjects in turn, so that other load on the machine affects all of them equally. */
async function interleaved(
  subjects: Record<string, Subject>,
  rounds: number,
  measure: (subject: Subject) => Promise<LoadResult>,
): Promise<Record<string, LoadResult[]>> {
  const results: Record<string, LoadResult[]> = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  const turns = Object.entries(subjects);
  for (let round = 0; round < rounds; round += 1)
    for (const [name, subject] of round % 2 === 0 ? turns : turns.toReversed())
      results[name]?.push(await measure(subject));
  return results;
}

export async function stopAll(subjects: Record<string, Subject>): Promise<void> {
  for (const { process } of Object.values(subjects)) await process.stop();
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const medianLoad = (results: readonly LoadResult[]): LoadResult => ({
  requestsPerSecond: median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
  cpuMicroseconds: median(results.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  p99Milliseconds: median(results.map(({ p99Milliseconds }) => p99Milliseconds)),
  failures: results.reduce((sum, { failures }) => sum + failures, 0),
});

/** The median cost of a subject, and the median and quartiles of its ratio to the first subject. */
export interface Comparison extends LoadResult {
  times: { median: number; quartiles: readonly [number, number] };
}

/**
 * Warms every subject up, measures it in rounds, and returns medians. Ratios are taken within a round, during which the
 * speed of a machine changes little.
 */
export async function measured(
  subjects: Record<string, Subject>,
  rounds: number,
  measure: (subject: Subject) => Promise<LoadResult>,
): Promise<Record<string, Comparison>> {
  await interleaved(subjects, 2, measure);
  const results = await interleaved(subjects, rounds, measure);
  const [first = []] = Object.values(results);
  const timesOf = (list: readonly LoadResult[]): Comparison['times'] => {
    const ratios = list
      .map(({ cpuMicroseconds }, round) => cpuMicroseconds / (first[round]?.cpuMicroseconds ?? Number.NaN))
      .sort((a, b) => a - b);
    const at = (part: number): number => ratios[Math.floor((ratios.length - 1) * part)] ?? Number.NaN;
    return { median: at(0.5), quartiles: [at(0.25), at(0.75)] };
  };
  return Object.fromEntries(
    Object.entries(results).map(([name, list]) => [name, { ...medianLoad(list), times: timesOf(list) }]),
  );
}
