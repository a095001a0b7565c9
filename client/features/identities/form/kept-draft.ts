import type { IdentityDocument } from './identity-document.ts';
import type { IdentityDraft } from './identity-draft.ts';

const STORED = 'identities.draft';

/** A form that was left for sign-in: no credential is ever part of it. */
export interface KeptDraft {
  /** The identity's id, or the schema of a new one. */
  of: string;
  /** The identity as it was read; null for a new one. */
  base: IdentityDocument | null;
  draft: IdentityDraft;
}

export const keepDraft = (kept: KeptDraft, storage: Pick<Storage, 'setItem'> = sessionStorage): void =>
  storage.setItem(STORED, JSON.stringify(kept));

/** The kept draft, once, if it is of this identity or schema. */
export function takeDraft(
  of: string,
  storage: Pick<Storage, 'getItem' | 'removeItem'> = sessionStorage,
): KeptDraft | undefined {
  const stored = storage.getItem(STORED);
  if (stored === null) return undefined;
  const kept = JSON.parse(stored) as KeptDraft;
  if (kept.of !== of) return undefined;
  storage.removeItem(STORED);
  return kept;
}
