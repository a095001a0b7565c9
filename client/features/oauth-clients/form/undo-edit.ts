import { type OauthClient, patchClient, readClient } from '../../../api/oauth-client-record.ts';
import { applied, type MemberChange } from '../../../resource/form/member-changes.ts';
import { changesAsStored, isHeldExactly, takeBack } from '../../../resource/undo/take-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { offerUndo } from '../../../ui/feedback/undo-offer.tsx';
import { CLIENTS } from '../client-resource.ts';
import { documentOf } from './client-document.ts';
import { patchOf } from './save-client.ts';

/**
 * Says that an edit is saved, and offers to undo it.
 * @param edit.mine the members that were written
 */
export function offerUndoOfEdit(
  said: string,
  edit: { saved: OauthClient; mine: readonly MemberChange[]; refresh: () => Promise<unknown> },
): void {
  const { saved, refresh } = edit;
  const changes = changesAsStored(edit.mine, documentOf(saved));
  if (changes.length === 0 || !changes.every(({ before }) => isHeldExactly(before))) {
    toast(said);
    return;
  }
  const change = {
    what: CLIENTS.one,
    saved,
    changes,
    documentOf,
    read: () => readClient(saved.client_id),
    write: (now: OauthClient, back: readonly MemberChange[]) =>
      patchClient(saved.client_id, patchOf(back, now, applied(documentOf(now), back))),
  };
  offerUndo(said, () => takeBack(change).finally(refresh));
}
