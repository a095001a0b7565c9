import type { BatchOutcome } from '../../../api/identity-batches.ts';
import { type BackOff, withBackOff } from '../../../api/polling.ts';
import { ConnectionError, RequestError } from '../../../api/request.ts';
import { nameInFile } from '../../../lib/identity-name.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { isPlain, passwordIn } from './file-password.ts';

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

/** Small enough that a repeated request is cheap and progress is visible. */
const IDENTITIES_MAX = 100;
/** The store hashes a plaintext password before it responds, which takes it a quarter of a second or more. */
const PASSWORD_WORK = 20;
/** Half the service's default timeout for the store. */
const TARGET_MS = 2_500;

const workOf = ({ identity }: CheckedIdentity): number => (isPlain(passwordIn(identity)) ? PASSWORD_WORK : 1);

/** How much work the next request may be, based on how long the previous ones took. */
function adaptiveLimit() {
  let limit = IDENTITIES_MAX;
  const scale = (work: number, factor: number): void => {
    // A request below the limit says nothing about larger ones.
    if (factor < 1 || work >= limit)
      limit = Math.max(1, Math.min(IDENTITIES_MAX * PASSWORD_WORK, Math.floor(work * factor)));
  };
  return {
    work: () => limit,
    succeeded: (work: number, ms: number) => scale(work, Math.min(2, TARGET_MS / Math.max(1, ms))),
    timedOut: (work: number) => scale(work, 1 / 2),
  };
}

type Pace = ReturnType<typeof adaptiveLimit>;

/** The store accepts 5 MB; a character may take up to three bytes. */
const CHUNK_CHARACTERS = 1_000_000;
/** Includes identities that are not sent, so that a file full of them still shows progress. */
const CHUNK_RECORDS = 1_000;

/** Splits identities, in file order, into chunks that fit into one request. */
async function* chunksOf(identities: AsyncIterable<CheckedIdentity>, pace: Pace): AsyncGenerator<CheckedIdentity[]> {
  let chunk: CheckedIdentity[] = [];
  let sent = 0;
  let work = 0;
  let characters = 0;
  const next = (): CheckedIdentity[] => {
    const full = chunk;
    chunk = [];
    sent = work = characters = 0;
    return full;
  };
  for await (const checked of identities) {
    const length = isSent(checked) ? JSON.stringify(checked.identity).length : 0;
    if (chunk.length > 0 && characters + length > CHUNK_CHARACTERS) yield next();
    chunk.push(checked);
    characters += length;
    if (isSent(checked)) {
      sent += 1;
      work += workOf(checked);
    }
    if (sent >= IDENTITIES_MAX || work >= pace.work() || chunk.length >= CHUNK_RECORDS) yield next();
  }
  if (chunk.length > 0) yield chunk;
}

const isSent = ({ problems }: CheckedIdentity): boolean => problems.length === 0;

/** Outcome for one identity, with the id of a created one, or the reason why it was not created. */
export interface ImportResult {
  line: number;
  /** Name or identifier, as far as the file tells. */
  who: string;
  outcome: ImportOutcome;
  id?: string | undefined;
  reason?: string | undefined;
}

export interface ImportRun {
  identities: AsyncIterable<CheckedIdentity>;
  /** How many identities, from the first, an earlier run has processed. */
  done: number;
  /** Sends one request; outcomes are in order. */
  create: (identities: readonly Record<string, unknown>[]) => Promise<BatchOutcome[]>;
  /** Called with the outcomes of the next identities as soon as they are known. */
  onResults: (results: readonly ImportResult[]) => void;
  /** Called before each wait for a store that is unavailable or rate-limiting. */
  onWait?: BackOff['onWait'];
  /** Stops further requests; the current one finishes, so that its outcomes are known. */
  signal?: AbortSignal;
  wait?: BackOff['wait'];
  /** Monotonic, in milliseconds. */
  clock?: () => number;
}

/**
 * Sends the identities of a file in chunks, one request at a time, each as large as the store can handle in time.
 * @returns whether all have been processed
 * @throws the error of a request after all retries; its identities may still have been created, and are reported as
 * existing when sent again
 */
export async function runImport(run: ImportRun): Promise<'complete' | 'cancelled'> {
  const pace = adaptiveLimit();
  try {
    for await (const chunk of chunksOf(skipping(run.identities, run.done), pace))
      if (run.signal?.aborted || !(await send(chunk, run, pace))) return 'cancelled';
    return 'complete';
  } catch (error) {
    if (run.signal?.aborted) return 'cancelled';
    throw error;
  }
}

async function* skipping<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T> {
  let index = 0;
  for await (const item of items) {
    if (index >= count) yield item;
    index += 1;
  }
}

/** @returns false when cancelled in between */
async function send(chunk: readonly CheckedIdentity[], run: ImportRun, pace: Pace): Promise<boolean> {
  const valid = chunk.filter(isSent);
  const created = await outcomesOf(valid, run, pace);
  if (created === 'halve') {
    const half = Math.ceil(chunk.length / 2);
    for (const part of [chunk.slice(0, half), chunk.slice(half)])
      if (run.signal?.aborted || !(await send(part, run, pace))) return false;
    return true;
  }
  const outcomes = created.values();
  run.onResults(
    chunk.map(({ line, identity, problems }): ImportResult => {
      const who = nameInFile(identity);
      if (problems.length > 0) return { line, who, outcome: 'invalid', reason: problems.join('; ') };
      return { line, who, ...(outcomes.next().value as BatchOutcome) };
    }),
  );
  return true;
}

async function outcomesOf(
  valid: readonly CheckedIdentity[],
  run: ImportRun,
  pace: Pace,
): Promise<BatchOutcome[] | 'halve'> {
  if (valid.length === 0) return [];
  const { clock = () => performance.now() } = run;
  const work = valid.reduce((sum, checked) => sum + workOf(checked), 0);
  const create = async (): Promise<BatchOutcome[] | 'halve'> => {
    const since = clock();
    try {
      const outcomes = await run.create(valid.map(({ identity }) => identity));
      pace.succeeded(work, clock() - since);
      return outcomes;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      pace.timedOut(work);
      if (valid.length === 1) throw error;
      return 'halve';
    }
  };
  try {
    return await withBackOff(create, run);
  } catch (error) {
    if (!(error instanceof RequestError) || !REJECTS_ALL.includes(error.status)) throw error;
    if (valid.length > 1) return 'halve';
    return [{ outcome: error.status === 409 ? 'existing' : 'failed', reason: error.message }];
  }
}

/**
 * The store rejects a whole request because of a single identity: one that it cannot decode, or the only valid one if
 * that already exists (409). Bisection finds it.
 */
const REJECTS_ALL = [400, 409, 413, 422];

/** The store took too long: a smaller request may succeed. */
const isTimeout = (error: unknown): boolean =>
  error instanceof ConnectionError ? error.timedOut : error instanceof RequestError && error.status === 504;
