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

/** The kept draft, if it is of this resource. It stays kept: a form that is drawn is not yet a form that is shown. */
export function keptDraft<Base, Draft>(
  name: string,
  of: string,
  storage: Pick<Storage, 'getItem'> = sessionStorage,
): KeptDraft<Base, Draft> | undefined {
  const stored = storage.getItem(name);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as KeptDraft<Base, Draft>;
  return kept.of === of ? kept : undefined;
}

/** Once the form shows it. */
export const forgetDraft = (name: string, storage: Pick<Storage, 'removeItem'> = sessionStorage): void =>
  storage.removeItem(name);
