import { attempt } from '../../../shared/json.ts';
import { countOutcomes, type OutcomeRuns } from './import-run.ts';
import { bytesOf, SLICE_BYTES } from './transfer-file.ts';

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
