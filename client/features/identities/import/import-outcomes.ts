/** Outcome for one identity of the file. `invalid`: it failed the check and was not sent. */
export type ImportOutcome = 'created' | 'existing' | 'failed' | 'invalid';

/** The outcomes so far in file order, run-length encoded: a long import has few runs. */
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

/** Number of identities by outcome, and in total: how many have been processed. */
export function countOutcomes(runs: OutcomeRuns): Record<ImportOutcome | 'all', number> {
  const counts = { created: 0, existing: 0, failed: 0, invalid: 0, all: 0 };
  for (const [outcome, count] of runs) {
    counts[outcome] += count;
    counts.all += count;
  }
  return counts;
}

/** The outcomes one by one. */
export function* eachOutcome(runs: OutcomeRuns): Generator<ImportOutcome, undefined> {
  for (const [outcome, count] of runs) for (let index = 0; index < count; index += 1) yield outcome;
  return undefined;
}
