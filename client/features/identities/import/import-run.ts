import { type BackOff, withBackOff } from '../../../api/back-off.ts';
import type { BatchOutcome } from '../../../api/identity-batches.ts';
import { ConnectionError, RequestError } from '../../../api/request-error.ts';
import { nameInFile } from '../../../format/identity-name.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { chunksOf, loadOf } from './import-chunks.ts';
import type { ImportOutcome } from './import-outcomes.ts';
import { type ImportPace, importPace } from './import-pace.ts';

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
  const pace = importPace();
  try {
    for await (const chunk of chunksOf(skipping(run.identities, run.done), pace.most))
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
async function send(chunk: readonly CheckedIdentity[], run: ImportRun, pace: ImportPace): Promise<boolean> {
  const valid = chunk.filter(({ problems }) => problems.length === 0);
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
  pace: ImportPace,
): Promise<BatchOutcome[] | 'halve'> {
  if (valid.length === 0) return [];
  const { clock = () => performance.now() } = run;
  const load = loadOf(valid);
  const create = async (): Promise<BatchOutcome[] | 'halve'> => {
    const since = clock();
    try {
      const outcomes = await run.create(valid.map(({ identity }) => identity));
      pace.answered(load, clock() - since);
      return outcomes;
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      pace.tooMuch(load);
      if (valid.length === 1) throw error;
      return 'halve';
    }
  };
  try {
    return await withBackOff(create, run);
  } catch (error) {
    if (!(error instanceof RequestError) || !REFUSES_ALL.includes(error.status)) throw error;
    if (valid.length > 1) return 'halve';
    return [{ outcome: error.status === 409 ? 'existing' : 'failed', reason: error.message }];
  }
}

/**
 * The store rejects a whole request because of a single identity: one that it cannot decode, or the only valid one if
 * that already exists (409). Bisection finds it.
 */
const REFUSES_ALL = [400, 409, 413, 422];

/** The request took the store too long: a smaller one may succeed. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof ConnectionError ? error.timedOut : error instanceof RequestError && error.status === 504;
