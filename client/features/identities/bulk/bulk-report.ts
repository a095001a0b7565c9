import type { ListedIdentity } from '../../../../shared/identities.ts';
import { REPORT_START, reportLine } from '../../../ui/csv-line.ts';
import { identifierOf, nameOf } from '../identity-name.ts';
import type { BulkAct } from './bulk-acts.ts';
import type { BulkResult } from './bulk-runner.ts';

export type IdentityResult = BulkResult<ListedIdentity>;

export const shownAs = ({ id, traits }: ListedIdentity): string => identifierOf(traits) ?? nameOf(traits) ?? id;

export function outcomeInWords({ outcome }: IdentityResult, act: BulkAct): string {
  switch (outcome) {
    case 'done':
      return act.done;
    case 'unchanged':
      return 'nothing to do';
    case 'failed':
      return 'failed';
    case 'not-started':
      return 'not started';
  }
}

/** For a spreadsheet, hence not exact: what begins like a formula is made text. */
export const bulkReport = (results: readonly IdentityResult[], act: BulkAct): Blob =>
  new Blob(
    [
      REPORT_START,
      reportLine(['id', 'identifier', 'outcome', 'reason']),
      ...results.map((result) =>
        reportLine([result.item.id, shownAs(result.item), outcomeInWords(result, act), result.reason ?? '']),
      ),
    ],
    { type: 'text/csv' },
  );

/** Those to whom it was not done: failed, or never started. */
export const undone = (results: readonly IdentityResult[]): ListedIdentity[] =>
  results.filter(({ outcome }) => outcome === 'failed' || outcome === 'not-started').map(({ item }) => item);

/** The results of a second run in the place of the first ones. */
export const withRetried = (first: readonly IdentityResult[], second: readonly IdentityResult[]): IdentityResult[] =>
  first.map((result) => second.find(({ item }) => item.id === result.item.id) ?? result);
