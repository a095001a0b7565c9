import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { clientName, isOwnClient, listMember } from '../client-members.ts';
import { DELETION_CONSEQUENCES, deletedNow } from '../delete-clients.ts';
import { CLIENT_PAGES_KEY } from '../listed-clients.ts';

export function DeleteClient({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
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
        await deletedNow(client.client_id);
        await queryClient.invalidateQueries({ queryKey: CLIENT_PAGES_KEY });
        await navigate({ to: '/oauth/clients' });
        queryClient.removeQueries({ queryKey: clientQuery(client.client_id).queryKey });
        toast(`${name} is deleted`);
      }}
    />
  );
}
