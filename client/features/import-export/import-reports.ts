import { csvHeader, csvLine } from '../../lib/files.ts';
import { nameInFile } from '../../lib/identity-name.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { eachOutcome, type ImportOutcome, type ImportResult, type OutcomeRuns } from './import-run.ts';

export const OUTCOME_WORDS: Record<ImportOutcome, string> = {
  created: 'created',
  existing: 'already exists',
  failed: 'failed',
  invalid: 'skipped',
};

/** Lists every problem of a file with its line and identity. */
export async function problemsReport(identities: AsyncIterable<CheckedIdentity>): Promise<Blob> {
  const lines = reportLines(['line', 'who', 'problem']);
  for await (const { line, identity, problems } of identities)
    for (const problem of problems) lines.add([line, nameInFile(identity), problem]);
  return lines.file();
}

/** Outcomes of the run on this page, written as they arrive, since a long run has many. */
export interface RunReport {
  /** Number of identities processed before the run. */
  from: number;
  lines: ReturnType<typeof reportLines>;
}

/**
 * Lists the outcome of every line of a file.
 * @param run the report of the run on this page; undefined if nothing was sent. For earlier runs, only the outcomes are
 * known
 */
export async function importReport(
  identities: AsyncIterable<CheckedIdentity>,
  runs: OutcomeRuns,
  run: RunReport | undefined,
): Promise<Blob> {
  const outcomes = eachOutcome(runs);
  const before = reportLines(IMPORT_COLUMNS);
  const after = reportLines();
  let index = 0;
  for await (const { line, identity, problems } of identities) {
    const { value: outcome } = outcomes.next();
    const isOfRun = run !== undefined && index >= run.from && outcome !== undefined;
    const reason = outcome === 'invalid' ? problems.join('; ') : '';
    const cells = [line, nameInFile(identity), outcome === undefined ? 'not sent' : OUTCOME_WORDS[outcome], '', reason];
    if (!isOfRun) (outcome === undefined ? after : before).add(cells);
    index += 1;
  }
  return new Blob([before.file(), ...(run === undefined ? [] : [run.lines.file()]), after.file()], {
    type: 'text/csv',
  });
}

const IMPORT_COLUMNS = ['line', 'who', 'outcome', 'id', 'reason'];

export function resultCells({ line, who, outcome, id = '', reason = '' }: ImportResult): (string | number)[] {
  return [line, who, OUTCOME_WORDS[outcome], id, reason];
}

const LINES_PER_PART = 1_000;

/** Collects lines in Blobs, which the browser may move to disk. @param head omit for lines that follow others */
export function reportLines(head?: readonly string[]) {
  const parts: Blob[] = [];
  let lines = head === undefined ? [] : [csvHeader(head)];
  const flush = (): void => {
    parts.push(new Blob([lines.join('')]));
    lines = [];
  };
  return {
    add(cells: readonly (string | number)[]) {
      lines.push(csvLine(cells));
      if (lines.length >= LINES_PER_PART) flush();
    },
    file() {
      flush();
      return new Blob(parts, { type: 'text/csv' });
    },
  };
}

const SAMPLE_MAX = 100;

/** A sample of the identities that were not created, failures first. The report lists all of them. */
export function notCreatedSample() {
  const failed: ImportResult[] = [];
  const others: ImportResult[] = [];
  let count = 0;
  return {
    add(results: readonly ImportResult[]) {
      for (const result of results) {
        if (result.outcome === 'created') continue;
        count += 1;
        const sample = result.outcome === 'failed' ? failed : others;
        if (sample.length < SAMPLE_MAX) sample.push(result);
      }
    },
    rows: () => [...failed, ...others].slice(0, SAMPLE_MAX),
    count: () => count,
  };
}
