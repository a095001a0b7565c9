import { parseExactJson } from './json.ts';

export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/**
 * The tab's storage. Where a browser has none, refuses access or has no room, it stores nothing and nothing fails.
 */
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

/** Whether the tab's storage outlasts the page. */
export function isKept(storage = tabStorage): boolean {
  storage.setItem(PROBE, 'kept');
  const found = storage.getItem(PROBE);
  storage.removeItem(PROBE);
  return found === 'kept';
}

/** A form that was left for sign-in; it never contains a secret. */
export interface KeptDraft<Base, Draft> {
  /** The identity id of the operator who typed it. */
  operator: string;
  /** The id of what is edited, or the kind of what is created. */
  of: string;
  /** The resource as read; null for a new one. */
  base: Base | null;
  draft: Draft;
}

/** @param name of the storage slot: one for each kind of form */
export const keepDraft = (name: string, kept: KeptDraft<unknown, unknown>): void =>
  tabStorage.setItem(name, JSON.stringify(kept));

/**
 * The kept draft, if it belongs to this resource. Another operator's is discarded. Reading does not remove it, since a
 * rendered form may not be shown yet.
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

/** Called once the form shows the draft. */
export const forgetDraft = (name: string): void => tabStorage.removeItem(name);
