/** What became of one identity of the file. `invalid`: the check refused it, and it was not sent. */
export type ImportOutcome = 'created' | 'existing' | 'failed' | 'invalid';

/** The outcomes so far in the order of the file, as runs of equal ones: a long import has few. */
export type OutcomeRuns = readonly (readonly [ImportOutcome, count: number])[];

export function withOutcomes(runs: OutcomeRuns, outcomes: readonly ImportOutcome[]): OutcomeRuns {
  const result = [...runs];
  for (const outcome of outcomes) {
    const last = result.at(-1);
    if (last?.[0] === outcome) result[result.length - 1] = [outcome, last[1] + 1];
    else result.push([outcome, 1]);
  }
  return result;
}

/** How many of each, and in all: the number of identities that have been processed. */
export function countOutcomes(runs: OutcomeRuns): Record<ImportOutcome | 'all', number> {
  const counts = { created: 0, existing: 0, failed: 0, invalid: 0, all: 0 };
  for (const [outcome, count] of runs) {
    counts[outcome] += count;
    counts.all += count;
  }
  return counts;
}

/** One after the other. */
export function* eachOutcome(runs: OutcomeRuns): Generator<ImportOutcome, undefined> {
  for (const [outcome, count] of runs) for (let index = 0; index < count; index += 1) yield outcome;
  return undefined;
}
