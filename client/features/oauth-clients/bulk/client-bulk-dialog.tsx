import type { ListedClient } from '../../../api/oauth-clients.ts';
import type { BulkDialogProps } from '../../../resource/bulk/bulk-actions.tsx';
import { BulkDialog } from '../../../resource/bulk/bulk-dialog.tsx';
import { CHOSEN_CLIENTS, DELETE_CLIENTS } from './client-acts.ts';

export const ClientBulkDialog = ({ name: _delete, ...props }: BulkDialogProps<ListedClient, 'delete'>) => (
  <BulkDialog act={DELETE_CLIENTS} subject={CHOSEN_CLIENTS} {...props} />
);
