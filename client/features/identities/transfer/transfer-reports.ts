import { REPORT_START, reportLine } from '../../../ui/csv-line.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { eachOutcome, type ImportOutcome, type OutcomeRuns } from './import-outcomes.ts';
import type { ImportResult } from './import-run.ts';

/** In the words of page and report. */
export const OUTCOME_WORDS: Record<ImportOutcome, string> = {
  created: 'created',
  existing: 'already there',
  failed: 'failed',
  invalid: 'left out',
};

/** Every problem of a file with its line. */
export async function problemsReport(identities: AsyncIterable<CheckedIdentity>): Promise<Blob> {
  const lines = [REPORT_START, reportLine(['line', 'problem'])];
  for await (const { line, problems } of identities) {
    for (const problem of problems) lines.push(reportLine([line, problem]));
  }
  return new Blob(lines, { type: 'text/csv' });
}

/**
 * What became of each line of a file.
 * @param results of this run by their place in the file; of an earlier run only the outcome is known
 */
export async function importReport(
  identities: AsyncIterable<CheckedIdentity>,
  runs: OutcomeRuns,
  results: ReadonlyMap<number, ImportResult>,
): Promise<Blob> {
  const outcomes = eachOutcome(runs);
  const lines = [REPORT_START, reportLine(['line', 'outcome', 'id', 'reason'])];
  let index = 0;
  for await (const { line, problems } of identities) {
    const { value: outcome } = outcomes.next();
    const { id = '', reason } = results.get(index) ?? {};
    index += 1;
    const word = outcome === undefined ? 'not sent' : OUTCOME_WORDS[outcome];
    lines.push(reportLine([line, word, id, reason ?? (outcome === 'invalid' ? problems.join('; ') : '')]));
  }
  return new Blob(lines, { type: 'text/csv' });
}
