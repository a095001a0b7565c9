import { type BackOff, withBackOff } from '../../../api/back-off.ts';
import type { BatchOutcome } from '../../../api/identity-batches.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { chunksOf } from './import-chunks.ts';
import type { ImportOutcome } from './import-outcomes.ts';

/** What became of one identity; the id of a created one, or why it was not created. */
export interface ImportResult {
  line: number;
  outcome: ImportOutcome;
  id?: string | undefined;
  reason?: string | undefined;
}

export interface ImportRun {
  identities: AsyncIterable<CheckedIdentity>;
  /** How many of them, from the first, are done with from an earlier run. */
  done: number;
  /** One request; its outcomes are in order. */
  create: (identities: readonly Record<string, unknown>[]) => Promise<BatchOutcome[]>;
  /** The outcomes of the next identities, as soon as they are known. */
  onResults: (results: readonly ImportResult[]) => void;
  /** Before each wait for a store that is away or asks for patience. */
  onWait?: BackOff['onWait'];
  /** No further request starts after it; the one under way ends, so that its outcomes are known. */
  signal?: AbortSignal;
  wait?: BackOff['wait'];
}

/**
 * Sends the identities of a file, chunk by chunk, one request at a time.
 * @returns whether all are done with
 * @throws what a request failed with after patience; its identities may have been created all the same, and are then
 * reported as existing when they are sent again
 */
export async function runImport(run: ImportRun): Promise<'complete' | 'cancelled'> {
  try {
    for await (const chunk of chunksOf(skipping(run.identities, run.done)))
      if (run.signal?.aborted || !(await send(chunk, run))) return 'cancelled';
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

/** @returns false when it was cancelled in between */
async function send(chunk: readonly CheckedIdentity[], run: ImportRun): Promise<boolean> {
  const valid = chunk.filter(({ problems }) => problems.length === 0);
  const created = await outcomesOf(valid, run);
  if (created === 'refused') {
    // One that does not decode spoils them all: halve until it stands alone.
    const half = Math.ceil(chunk.length / 2);
    if (!(await send(chunk.slice(0, half), run)) || run.signal?.aborted) return false;
    return send(chunk.slice(half), run);
  }
  const outcomes = created.values();
  run.onResults(
    chunk.map(({ line, problems }): ImportResult => {
      if (problems.length > 0) return { line, outcome: 'invalid', reason: problems.join('; ') };
      return { line, ...(outcomes.next().value as BatchOutcome) };
    }),
  );
  return true;
}

async function outcomesOf(valid: readonly CheckedIdentity[], run: ImportRun): Promise<BatchOutcome[] | 'refused'> {
  if (valid.length === 0) return [];
  try {
    const identities = valid.map(({ identity }) => identity);
    return await withBackOff(() => run.create(identities), run);
  } catch (error) {
    if (!(error instanceof RequestError) || ![400, 413, 422].includes(error.status)) throw error;
    return valid.length > 1 ? 'refused' : [{ outcome: 'failed', reason: error.message }];
  }
}
