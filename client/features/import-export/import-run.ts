import { attempt, membersOf } from '../../../shared/json.ts';
import { type BackOff, withBackOff } from '../../api/polling.ts';
import { ConnectionError, identityAdmin, RequestError, request, unreadableResponse } from '../../api/request.ts';
import { nameInFile } from '../../lib/identity-name.ts';
import { reasonInWords } from '../../record/traits-check.ts';
import type { CheckedIdentity } from './check-identity.ts';
import { isPlain, passwordIn } from './file-password.ts';
import { bytesOf, SLICE_BYTES } from './transfer-file.ts';

/** Result for one identity of a batch. `existing`: conflicts with a stored identity. */
export type BatchOutcome = { outcome: 'created'; id: string } | { outcome: 'existing' | 'failed'; reason: string };

/**
 * Creates identities in one request. Each succeeds or fails on its own; results are in request order. At most 1,000
 * identities, 200 of them with a plaintext password.
 * @param fileName the reason in the audit record
 * @throws RequestError 400 if an identity cannot be decoded; none is then created
 */
export async function createIdentities(
  identities: readonly Record<string, unknown>[],
  fileName: string,
): Promise<BatchOutcome[]> {
  const body = { identities: identities.map((create) => ({ create })) };
  const options = { method: 'PATCH', body, reason: fileName } as const;
  const { identities: results } = membersOf(await request(identityAdmin('/identities'), options));
  if (!Array.isArray(results) || results.length !== identities.length)
    throw unreadableResponse('identity service', 'a result for each identity');
  return results.map(outcomeOf);
}

function outcomeOf(result: unknown): BatchOutcome {
  const { identity, error } = membersOf(result);
  if (typeof identity === 'string') return { outcome: 'created', id: identity };
  const { code, reason, message } = membersOf(error);
  return {
    outcome: code === 409 ? 'existing' : 'failed',
    reason: String(reason ?? message ?? 'The identity service gave no reason.'),
  };
}

/** Outcome for one identity of the file. `invalid`: the check found problems, so the identity was not sent. */
export type ImportOutcome = 'created' | 'existing' | 'failed' | 'invalid';

/** Run-length encoded outcomes in file order: even a long import has few runs. */
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

export function countOutcomes(runs: OutcomeRuns): Record<ImportOutcome | 'all', number> {
  const counts = { created: 0, existing: 0, failed: 0, invalid: 0, all: 0 };
  for (const [outcome, count] of runs) {
    counts[outcome] += count;
    counts.all += count;
  }
  return counts;
}

export function* eachOutcome(runs: OutcomeRuns): Generator<ImportOutcome, undefined> {
  for (const [outcome, count] of runs) for (let index = 0; index < count; index += 1) yield outcome;
  return undefined;
}

/** Small enough for cheap retries and visible progress. */
const IDENTITIES_MAX = 100;
/**
 * The work of creating an identity with a plaintext password, as a multiple of that of one without: the store hashes
 * the password before it responds, which takes a quarter of a second or more.
 */
const PASSWORD_WORK = 20;
/** Half of the service's default timeout for the store. */
const TARGET_MS = 2_500;

const workOf = ({ identity }: CheckedIdentity): number => (isPlain(passwordIn(identity)) ? PASSWORD_WORK : 1);

/** Adapts the amount of work per request to how long earlier requests took. */
function adaptiveLimit() {
  let limit = IDENTITIES_MAX;
  const scale = (work: number, factor: number): void => {
    // A fast request below the limit does not prove that larger requests are fast.
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

/** The store accepts 5 MB, and a character may take up to three bytes. */
const CHUNK_CHARACTERS = 1_000_000;
/** Also counts identities that are not sent, so that a file of invalid identities still reports progress. */
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

export interface ImportResult {
  line: number;
  who: string;
  outcome: ImportOutcome;
  id?: string | undefined;
  reason?: string | undefined;
}

export interface ImportRun {
  identities: AsyncIterable<CheckedIdentity>;
  /** Number of identities, from the start of the file, that an earlier run has processed. */
  done: number;
  create: (identities: readonly Record<string, unknown>[]) => Promise<BatchOutcome[]>;
  onResults: (results: readonly ImportResult[]) => void;
  /** Called before each wait for a store that is unavailable or limits requests. */
  onWait?: BackOff['onWait'];
  /** Aborting prevents further requests. The current request finishes, so that its outcomes are known. */
  signal?: AbortSignal;
  wait?: BackOff['wait'];
  clock?: () => number;
}

/**
 * Sends the identities of a file in chunks, one request at a time, each as large as the store can process in time.
 * @returns whether all identities have been processed
 * @throws the error of a request after all retries; its identities may have been created nevertheless, and a new
 * attempt reports them as existing
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
      const result: ImportResult = { line, who, ...(outcomes.next().value as BatchOutcome) };
      return result.reason === undefined ? result : { ...result, reason: reasonInWords(result.reason) };
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
 * A single identity can make the store reject the whole request: if it cannot be decoded, or if it is the only valid
 * one and already exists (409). Bisection finds it.
 */
const REJECTS_ALL = [400, 409, 413, 422];

/** The store timed out, but a smaller request may succeed. */
const isTimeout = (error: unknown): boolean =>
  error instanceof ConnectionError ? error.timedOut : error instanceof RequestError && error.status === 504;

/**
 * Progress of an import, stored in this browser until the import is complete, for at most 30 days. Contains no personal
 * data: only the file's fingerprint, the number of its identities, their outcomes in order and the time.
 */
export interface ImportProgress {
  fingerprint: string;
  total: number;
  outcomes: OutcomeRuns;
  savedAt: number;
}

export type ProgressStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const KEY = 'identity-imports.unfinished';
const IMPORTS_MAX = 5;
const STORED_MS = 30 * 86_400_000;

/** Stores unfinished imports. Without localStorage, reads return nothing and saving throws. */
export function progressStore(storage: ProgressStorage | undefined, now: () => number = Date.now) {
  const read = (): ImportProgress[] =>
    parse(storage?.getItem(KEY) ?? null).filter(({ savedAt }) => now() - savedAt < STORED_MS);
  const others = (fingerprint: string) => read().filter((progress) => progress.fingerprint !== fingerprint);
  const write = (all: readonly ImportProgress[]): void => {
    if (all.length === 0) storage?.removeItem(KEY);
    else if (storage === undefined) throw new Error('This browser blocks storage for this page.');
    else storage.setItem(KEY, JSON.stringify(all.slice(0, IMPORTS_MAX)));
  };
  return {
    find: (fingerprint: string) => read().find((progress) => progress.fingerprint === fingerprint),
    /** Most recent first. */
    all: read,
    save: (progress: ImportProgress) => write([progress, ...others(progress.fingerprint)]),
    remove: (fingerprint: string) => write(others(fingerprint)),
  };
}

const parse = (stored: string | null): ImportProgress[] =>
  attempt(() => (JSON.parse(stored ?? '[]') as ImportProgress[]).filter(isProgress)) ?? [];

function isProgress(value: ImportProgress | null): value is ImportProgress {
  return (
    typeof value?.fingerprint === 'string' &&
    typeof value.total === 'number' &&
    typeof value.savedAt === 'number' &&
    Array.isArray(value.outcomes) &&
    Number.isInteger(countOutcomes(value.outcomes).all)
  );
}

/**
 * Recognizes a file under any name by its size and two 32-bit checksums, which is enough to tell an operator's own
 * files apart: SHA-256 would require a secure context. Both factors are odd, so that multiplying loses no difference.
 */
export async function fingerprintOf(file: Blob): Promise<string> {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (let start = 0; start < file.size; start += SLICE_BYTES)
    for (const byte of await bytesOf(file, start)) {
      first = Math.imul(first ^ byte, 0x01000193);
      second = Math.imul(second ^ byte, 0x9e3779b1);
    }
  return `${file.size}-${first >>> 0}-${second >>> 0}`;
}
