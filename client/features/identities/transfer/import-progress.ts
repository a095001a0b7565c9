import { countOutcomes, type OutcomeRuns } from './import-run.ts';

/**
 * Progress of an import, kept in this browser until it is complete. It contains no personal data: only the file's
 * fingerprint, the number of identities processed, and the sequence of their outcomes.
 */
export interface ImportProgress {
  fingerprint: string;
  /** Identities in the file. */
  total: number;
  outcomes: OutcomeRuns;
  /** Milliseconds since the epoch. */
  savedAt: number;
}

export type ProgressStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface ProgressStore {
  /** The unfinished import of this file, if any. */
  find(fingerprint: string): ImportProgress | undefined;
  /** Unfinished imports, most recent first. */
  all(): ImportProgress[];
  save(progress: ImportProgress): void;
  remove(fingerprint: string): void;
}

/** Uses this browser's storage; where that is unavailable, reads find nothing and writes fail. */
export function browserStorage(): ProgressStorage {
  try {
    // Some browsers have none instead of refusing it.
    if (localStorage !== null) return localStorage;
  } catch {}
  return {
    getItem: () => null,
    setItem() {
      throw new Error('This browser does not let this page store anything.');
    },
    removeItem() {},
  };
}

const KEY = 'identity-import.progress';
const KEPT_MAX = 5;
const KEPT_MS = 30 * 86_400_000;

export function progressStore(storage: ProgressStorage, now: () => number = Date.now): ProgressStore {
  const read = (): ImportProgress[] => parse(storage.getItem(KEY)).filter(({ savedAt }) => now() - savedAt < KEPT_MS);
  const others = (fingerprint: string) => read().filter((progress) => progress.fingerprint !== fingerprint);
  const write = (all: readonly ImportProgress[]): void => {
    if (all.length === 0) storage.removeItem(KEY);
    else storage.setItem(KEY, JSON.stringify(all.slice(0, KEPT_MAX)));
  };
  return {
    find: (fingerprint) => read().find((progress) => progress.fingerprint === fingerprint),
    all: read,
    save: (progress) => write([progress, ...others(progress.fingerprint)]),
    remove: (fingerprint) => write(others(fingerprint)),
  };
}

function parse(stored: string | null): ImportProgress[] {
  try {
    const all: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(all) ? all.filter(isProgress) : [];
  } catch {
    return [];
  }
}

function isProgress(value: ImportProgress | null): value is ImportProgress {
  return (
    typeof value?.fingerprint === 'string' &&
    typeof value.total === 'number' &&
    typeof value.savedAt === 'number' &&
    Array.isArray(value.outcomes) &&
    Number.isInteger(countOutcomes(value.outcomes).all)
  );
}
