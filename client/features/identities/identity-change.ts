import { type Identity, patchIdentity, readIdentity } from '../../api/identities-record.ts';
import { type MemberChange, patchOf } from '../../resource/form/member-changes.ts';
import { changesAsStored, type WrittenChange } from '../../resource/undo/take-back.ts';
import { documentOf } from './form/identity-document.ts';

/**
 * A write of an identity, as it can be taken back.
 * @param saved the service's answer to the write
 * @param mine the members that were written
 */
export const identityChange = (saved: Identity, mine: readonly MemberChange[]): WrittenChange<Identity> => ({
  what: 'identity',
  saved,
  changes: changesAsStored(mine, documentOf(saved)),
  documentOf,
  read: () => readIdentity(saved.id),
  write: ({ id }, changes) => patchIdentity(id, patchOf(changes)),
});
