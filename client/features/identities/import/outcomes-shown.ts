import type { ImportResult } from './import-run.ts';

/** Of those that were not created a few to look at: the failed ones before all others. The report has them all. */
export interface OutcomesShown {
  add(results: readonly ImportResult[]): void;
  rows(): readonly ImportResult[];
  /** How many there are in all. */
  count(): number;
}

export const OUTCOMES_SHOWN = 100;

export function outcomesShown(): OutcomesShown {
  const failed: ImportResult[] = [];
  const others: ImportResult[] = [];
  let count = 0;
  return {
    add(results) {
      for (const result of results) {
        if (result.outcome === 'created') continue;
        count += 1;
        const kept = result.outcome === 'failed' ? failed : others;
        if (kept.length < OUTCOMES_SHOWN) kept.push(result);
      }
    },
    rows: () => [...failed, ...others].slice(0, OUTCOMES_SHOWN),
    count: () => count,
  };
}
