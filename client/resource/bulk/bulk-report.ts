import { csvHeader, csvLine } from '../../lib/csv-line.ts';
import type { BulkAct, BulkSubject } from './bulk-act.ts';
import type { BulkResult } from './bulk-runner.ts';

export function formatOutcome({ outcome }: BulkResult<unknown>, act: Pick<BulkAct<never>, 'done' | 'already'>): string {
  switch (outcome) {
    case 'done':
      return act.done;
    case 'unchanged':
      return act.already?.words ?? 'nothing to do';
    case 'left-out':
      return 'left out';
    case 'failed':
      return 'failed';
    case 'not-started':
      return 'not started';
  }
}

export const bulkReport = <T extends { id: string }>(
  results: readonly BulkResult<T>[],
  act: BulkAct<T>,
  subject: BulkSubject<T>,
): Blob =>
  new Blob(
    [
      csvHeader(['id', subject.nameColumn, 'outcome', 'reason']),
      ...results.map((result) =>
        csvLine([result.item.id, subject.nameOf(result.item), formatOutcome(result, act), result.reason ?? '']),
      ),
    ],
    { type: 'text/csv' },
  );

/** Items not done: failed or never started. */
export const undone = <T>(results: readonly BulkResult<T>[]): T[] =>
  results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-started').map(({ item }) => item);

/** Replaces results of the first run by those of the second. */
export const withRetried = <T extends { id: string }>(
  first: readonly BulkResult<T>[],
  second: readonly BulkResult<T>[],
): BulkResult<T>[] => {
  const retried = new Map(second.map((result) => [result.item.id, result]));
  return first.map((result) => retried.get(result.item.id) ?? result);
};
