import { parseExactJson } from './json.ts';

export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/** The tab's storage. Where the browser blocks storage or has no space left, it silently stores nothing. */
export const tabStorage: TabStorage = {
  getItem: (name) => attempt((storage) => storage.getItem(name)) ?? null,
  setItem: (name, value) => attempt((storage) => storage.setItem(name, value)),
  removeItem: (name) => attempt((storage) => storage.removeItem(name)),
  clear: () => attempt((storage) => storage.clear()),
};

function attempt<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

const PROBE = 'tab-storage.probe';

/** Whether the tab's storage survives the page. */
export function isKept(storage = tabStorage): boolean {
  storage.setItem(PROBE, 'kept');
  const found = storage.getItem(PROBE);
  storage.removeItem(PROBE);
  return found === 'kept';
}

/** A form that was left for sign-in, without secrets. */
export interface KeptDraft<Base, Draft> {
  /** The identity id of the operator who typed the draft. */
  operator: string;
  /** The id of the edited record, or the kind of a new record. */
  of: string;
  /** The record as loaded; null for a new record. */
  base: Base | null;
  draft: Draft;
}

/** @param name of the storage slot: one per kind of form */
export const keepDraft = (name: string, kept: KeptDraft<unknown, unknown>): void =>
  tabStorage.setItem(name, JSON.stringify(kept));

/**
 * The stored draft, if it belongs to this record; another operator's draft is discarded. Reading does not remove the
 * draft, since React may discard the render.
 */
export function keptDraft<Base, Draft>(
  name: string,
  { operator, of }: Pick<KeptDraft<Base, Draft>, 'operator' | 'of'>,
): KeptDraft<Base, Draft> | undefined {
  const stored = tabStorage.getItem(name);
  if (stored === null) return undefined;
  const kept = parseExactJson(stored) as KeptDraft<Base, Draft>;
  if (kept.operator !== operator) forgetDraft(name);
  else if (kept.of === of) return kept;
  return undefined;
}

/** Call once the form contains the draft. */
export const forgetDraft = (name: string): void => tabStorage.removeItem(name);
