import { parseExactJson } from '../../lib/exact-json.ts';

/** A form that was left for sign-in; it never contains a secret. */
export interface KeptDraft<Base, Draft> {
  /** The id of what is edited, or the kind of what is created. */
  of: string;
  /** The resource as read; null for a new one. */
  base: Base | null;
  draft: Draft;
}

/** @param name of the storage slot: one for each kind of form */
export const keepDraft = (
  name: string,
  kept: KeptDraft<unknown, unknown>,
  storage: Pick<Storage, 'setItem'> = sessionStorage,
): void => storage.setItem(name, JSON.stringify(kept));

/**
 * The kept draft, if it belongs to this resource. Reading does not remove it, since a rendered form may not be shown
 * yet.
 */
export function keptDraft<Base, Draft>(
  name: string,
  of: string,
  storage: Pick<Storage, 'getItem'> = sessionStorage,
): KeptDraft<Base, Draft> | undefined {
  const stored = storage.getItem(name);
  if (stored === null) return undefined;
  const kept = parseExactJson(stored) as KeptDraft<Base, Draft>;
  return kept.of === of ? kept : undefined;
}

/** Called once the form shows the draft. */
export const forgetDraft = (name: string, storage: Pick<Storage, 'removeItem'> = sessionStorage): void =>
  storage.removeItem(name);
