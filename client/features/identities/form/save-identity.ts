import { type Identity, patchIdentity, readIdentity } from '../../../api/identities-record.ts';
import { type MemberChange, memberChanges, patchOf } from '../../../resource/form/member-changes.ts';
import { documentOf, type IdentityDocument } from './identity-document.ts';

/** Somebody else changed the identity after the form had read it. */
export interface EditConflict {
  now: Identity;
  mine: readonly MemberChange[];
  theirs: readonly MemberChange[];
}

/**
 * Writes the members in which `wanted` differs from `base`, unless somebody else changed the identity since `base`.
 * The identity service has neither conditional writes nor the patch operation `test`, so it is read again right before
 * the write.
 * @throws RequestError from the read or the write
 */
export async function saveIdentity(
  id: string,
  base: IdentityDocument,
  wanted: IdentityDocument,
): Promise<{ before: Identity; saved: Identity } | { conflict: EditConflict }> {
  const now = await readIdentity(id);
  const theirs = memberChanges(base, documentOf(now));
  const mine = memberChanges(base, wanted);
  if (theirs.length > 0) return { conflict: { now, mine, theirs } };
  return { before: now, saved: await patchIdentity(id, patchOf(mine)) };
}
