import { attempt } from '../../shared/json.ts';
import { parseExactJson } from './json.ts';

export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>;

/** Silently stores nothing if the browser blocks storage or has no space left. */
const safely = (open: () => Storage): TabStorage => ({
  getItem: (name) => attempt(() => open().getItem(name)) ?? null,
  setItem: (name, value) => attempt(() => open().setItem(name, value)),
  removeItem: (name) => attempt(() => open().removeItem(name)),
  clear: () => attempt(() => open().clear()),
});

export const tabStorage = safely(() => sessionStorage);
const localStore = safely(() => localStorage);

/** A choice that this browser remembers between visits. */
export const remembered = (name: string): string | undefined => localStore.getItem(name) ?? undefined;

/** @param value undefined to forget it */
export const remember = (name: string, value: string | undefined): void =>
  value === undefined ? localStore.removeItem(name) : localStore.setItem(name, value);

const PROBE = 'tab-storage.probe';

export function canStore(storage = tabStorage): boolean {
  storage.setItem(PROBE, 'stored');
  const found = storage.getItem(PROBE);
  storage.removeItem(PROBE);
  return found === 'stored';
}

/** A form's draft without secrets, stored while the operator signs in again or loads a new version. */
export interface StoredDraft<Base, Draft> {
  /** The identity id of the operator who typed the draft. */
  operator: string;
  /** The id of the edited record, or the kind of a new record. */
  of: string;
  /** The record as loaded; null for a new record. */
  base: Base | null;
  draft: Draft;
}

/** @param name of the storage slot: one per kind of form */
export const saveDraft = (name: string, draft: StoredDraft<unknown, unknown>): void =>
  tabStorage.setItem(name, JSON.stringify(draft));

/**
 * The stored draft, if it belongs to this record; another operator's draft is discarded. Reading does not remove the
 * draft, since React may discard the render.
 */
export function storedDraft<Base, Draft>(
  name: string,
  { operator, of }: Pick<StoredDraft<Base, Draft>, 'operator' | 'of'>,
): StoredDraft<Base, Draft> | undefined {
  const stored = tabStorage.getItem(name);
  if (stored === null) return undefined;
  const draft = parseExactJson(stored) as StoredDraft<Base, Draft>;
  if (draft.operator !== operator) forgetDraft(name);
  else if (draft.of === of) return draft;
  return undefined;
}

/** Call once the form contains the draft. */
export const forgetDraft = (name: string): void => tabStorage.removeItem(name);
