import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { SaveFirstField } from '../../../resource/save-first/save-first-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { clientName, isOwnClient, listMember } from '../client-members.ts';
import { DELETION_CONSEQUENCES, deletedNow } from '../delete-clients.ts';
import { CLIENT_PAGES_KEY } from '../listed-clients.ts';
import { SAVE_CLIENTS } from '../save-clients.ts';

export function DeleteClient({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [saving, setSaving] = useState(false);
  const name = clientName(client);
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      consequences={[
        ...(isOwnClient(listMember(client, 'redirect_uris'))
          ? ['This is the dashboard’s own client: without it nobody, including you, can sign in here any more.']
          : []),
        ...DELETION_CONSEQUENCES,
      ]}
      typed={client.client_id}
      action="Delete"
      onClose={onClose}
      act={async () => {
        if (saving) await SAVE_CLIENTS.save([client.client_id], new AbortController().signal, () => {});
        await deletedNow(client.client_id);
        await queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
        await navigate({ to: '/oauth/clients' });
        queryClient.removeQueries({ queryKey: clientQuery(client.client_id).queryKey });
        toast(`${name} is deleted`);
      }}
    >
      <SaveFirstField about={SAVE_CLIENTS.about} chosen={saving} onChange={setSaving} />
    </ConfirmDialog>
  );
}
