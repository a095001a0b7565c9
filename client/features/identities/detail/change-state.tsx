import { useQueryClient } from '@tanstack/react-query';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { type Identity, identityQuery, readIdentity } from '../../../api/identities-record.ts';
import { identitySessionsQuery, revokeSessions } from '../../../api/identities-sessions.ts';
import { reworded } from '../../../api/request-error.ts';
import { useOperator } from '../../../api/session.ts';
import { displayName } from '../../../format/identity-name.ts';
import { takeBack, type WrittenChange } from '../../../resource/undo/take-back.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { offerUndo } from '../../../ui/feedback/undo-offer.tsx';
import { UndoRefused } from '../../../ui/feedback/undo-refused.ts';
import { formatState } from '../format-state.ts';
import { identityChange } from '../identity-change.ts';
import { activateIdentity, deactivateIdentity } from '../identity-state.ts';
import { OWN_ACCOUNT } from '../own-account.ts';

/**
 * Deactivates an identity and ends its sessions, or activates it again.
 * @param undoing it takes a recorded change back, which must still be the last one
 */
export function ChangeState(props: { identity: Identity; undoing?: boolean; onClose: () => void }) {
  const { identity, undoing = false, onClose } = props;
  const queryClient = useQueryClient();
  const self = useOperator().identityId === identity.id;
  const active = identity.state === 'active';
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey }),
      queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey }),
      identitiesChanged(queryClient),
    ]);
  const act = async (): Promise<void> => {
    if (undoing) await expectState(identity);
    const saved = await (active ? deactivateIdentity(identity.id, refresh) : activateIdentity(identity.id));
    const change = identityChange(saved, [{ path: '/state', before: identity.state, after: saved.state }]);
    offerUndo(active ? 'Deactivated and signed out' : 'Activated', () =>
      (active ? takeBack(change) : takeActivationBack(change)).finally(refresh),
    );
    await refresh();
    onClose();
  };
  const what = active ? 'Deactivate' : 'Activate';
  return (
    <ConfirmDialog
      title={undoing ? `Undo: ${what.toLowerCase()} ${displayName(identity)}?` : `${what} ${displayName(identity)}?`}
      consequences={
        active
          ? [
              'The person can no longer sign in. Nothing is deleted; you can activate the identity again at any time.',
              'Its sessions end as well, and do not come back; otherwise these would work again after activation.',
              'Tokens that applications already have stay valid until they expire.',
            ]
          : [
              'The person can sign in again with the credentials they had.',
              'Sessions that ended with the deactivation do not come back.',
            ]
      }
      action={what}
      refused={self ? OWN_ACCOUNT : undefined}
      onClose={() => {
        // Not earlier: the record beside which it is undone may no longer offer that then.
        if (undoing) void refresh();
        onClose();
      }}
      act={act}
    />
  );
}

/** Like any deactivation, this one leaves no sessions behind; a second attempt ends those that the first could not. */
async function takeActivationBack(change: WrittenChange<Identity>): Promise<string> {
  const done = await takeBack(change);
  await revokeSessions(change.saved.id).catch((error: Error) => {
    throw reworded(error, `It is deactivated again, but its sessions could not be ended: ${error.message}`);
  });
  return done;
}

async function expectState({ id, state }: Identity): Promise<void> {
  const now = await readIdentity(id);
  if (now.state === state) return;
  throw new UndoRefused(`Somebody has changed the state since: it is now ${formatState(now.state).toLowerCase()}.`);
}
