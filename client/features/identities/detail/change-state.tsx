import { useQueryClient } from '@tanstack/react-query';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { type Identity, identityQuery } from '../../../api/identities-record.ts';
import { identitySessionsQuery } from '../../../api/identities-sessions.ts';
import { useOperator } from '../../../api/session.ts';
import { displayName } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { activateIdentity, deactivateIdentity } from '../identity-state.ts';

/** Deactivates an identity and ends its sessions, or activates it again. */
export function ChangeState({ identity, onClose }: { identity: Identity; onClose: () => void }) {
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
    await (active ? deactivateIdentity(identity.id, refresh) : activateIdentity(identity.id));
    await refresh();
    toast(active ? 'Deactivated and signed out' : 'Activated');
    onClose();
  };
  return (
    <ConfirmDialog
      title={`${active ? 'Deactivate' : 'Activate'} ${displayName(identity)}?`}
      consequences={
        active
          ? [
              ...(self ? ['This is you: your session in this dashboard ends as well.'] : []),
              'The person can no longer sign in. Nothing is deleted; you can activate the identity again at any time.',
              'Its sessions end as well; otherwise these would work again after activation.',
              'Tokens that applications already have stay valid until they expire.',
            ]
          : ['The person can sign in again with the credentials they had.']
      }
      action={active ? 'Deactivate' : 'Activate'}
      onClose={onClose}
      act={act}
    />
  );
}
