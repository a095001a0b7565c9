import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteIdentity, type Identity, identitiesChanged, identityQuery } from '../../api/identities.ts';
import { RequestError } from '../../api/request.ts';
import { useOperator } from '../../api/session.ts';
import { displayName } from '../../lib/identity-name.ts';
import { SaveFirstField } from '../../list/save-first.tsx';
import { CANNOT_BE_UNDONE, ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { OWN_ACCOUNT } from './identity-resource.ts';
import { SAVE_IDENTITIES } from './transfer/export-identities.ts';

export function DeleteIdentity({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const self = useOperator().identityId === identity.id;
  const [saving, setSaving] = useState(false);
  const shownAs = displayName(identity);
  return (
    <ConfirmDialog
      title={`Delete ${shownAs}?`}
      consequences={[
        'The identity, its traits and both kinds of metadata are permanently deleted.',
        'Its credentials, addresses and sessions are deleted, too; the addresses can then be used by somebody else.',
        'Tokens that applications already have stay valid until they expire.',
        CANNOT_BE_UNDONE,
        'To only keep the person out, deactivate the identity instead, which can be undone.',
      ]}
      typed={shownAs}
      refused={self ? OWN_ACCOUNT : undefined}
      action="Delete"
      onClose={onClose}
      act={async () => {
        if (saving) await SAVE_IDENTITIES.save([identity.id], new AbortController().signal, () => {});
        await deleteIdentity(identity.id).catch((error) => {
          // Somebody else deleted it first, which is fine.
          if (!(error instanceof RequestError && error.status === 404)) throw error;
        });
        await identitiesChanged(queryClient);
        await navigate({ to: '/identities' });
        queryClient.removeQueries({ queryKey: identityQuery(identity.id).queryKey });
        toast(`${shownAs} is deleted`);
      }}
    >
      <SaveFirstField about={SAVE_IDENTITIES.about} chosen={saving} onChange={setSaving} />
    </ConfirmDialog>
  );
}
