import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { identifierOf } from '../../../../shared/identity-name.ts';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { deleteIdentity, type Identity, identityQuery } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { useOperator } from '../../../api/session.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';

export function DeleteIdentity({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const self = useOperator().identityId === identity.id;
  const shownAs = identifierOf(identity.traits) ?? identity.id;
  return (
    <ConfirmDialog
      title={`Delete ${shownAs}?`}
      consequences={[
        ...(self ? ['This is you: your session in this dashboard ends, and you cannot sign in again.'] : []),
        'The identity, its traits and both kinds of metadata are permanently deleted.',
        'Its credentials, addresses and sessions are deleted, too; the addresses can then be used by somebody else.',
        'Tokens that applications already have stay valid until they expire.',
        'To only keep the person out, deactivate the identity instead, which can be undone.',
      ]}
      typed={shownAs}
      action="Delete"
      onClose={onClose}
      act={async () => {
        await deleteIdentity(identity.id).catch((error) => {
          // Somebody else deleted it first, which is fine.
          if (!(error instanceof RequestError && error.status === 404)) throw error;
        });
        await identitiesChanged(queryClient);
        await navigate({ to: '/identities' });
        queryClient.removeQueries({ queryKey: identityQuery(identity.id).queryKey });
        toast(`${shownAs} is deleted`);
      }}
    />
  );
}
