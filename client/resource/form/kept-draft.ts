/** A form that was left for sign-in: no secret is ever part of it. */
export interface KeptDraft<Base, Draft> {
  /** What is edited, by its id, or what is made. */
  of: string;
  /** The resource as it was read; null for a new one. */
  base: Base | null;
  draft: Draft;
}

/** @param name of the place it is kept in: one for each kind of form */
export const keepDraft = (
  name: string,
  kept: KeptDraft<unknown, unknown>,
  storage: Pick<Storage, 'setItem'> = sessionStorage,
): void => storage.setItem(name, JSON.stringify(kept));

/** The kept draft, once, if it is of this resource. */
export function takeDraft<Base, Draft>(
  name: string,
  of: string,
  storage: Pick<Storage, 'getItem' | 'removeItem'> = sessionStorage,
): KeptDraft<Base, Draft> | undefined {
  const stored = storage.getItem(name);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as KeptDraft<Base, Draft>;
  if (kept.of !== of) return undefined;
  storage.removeItem(name);
  return kept;
}
