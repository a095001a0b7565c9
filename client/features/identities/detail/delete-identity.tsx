import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { deleteIdentity, type Identity, identityQuery } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { useOperator } from '../../../api/session.ts';
import { displayName } from '../../../format/identity-name.ts';
import { SaveFirstField } from '../../../resource/save-first/save-first-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { NO_WAY_BACK } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { OWN_ACCOUNT } from '../own-account.ts';
import { SAVE_IDENTITIES } from '../save-identities.ts';

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
        NO_WAY_BACK,
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
