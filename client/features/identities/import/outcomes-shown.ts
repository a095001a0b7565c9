import type { ImportResult } from './import-run.ts';

/** A sample of the identities that were not created, failures first. The report has them all. */
export interface OutcomesShown {
  add(results: readonly ImportResult[]): void;
  rows(): readonly ImportResult[];
  /** The number of all of them. */
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
