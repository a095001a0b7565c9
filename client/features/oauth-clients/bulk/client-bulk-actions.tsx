import { IconTrash } from '@tabler/icons-react';
import type { ListedClient } from '../../../api/oauth-clients.ts';
import { type BulkActionButton, BulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { lazyDialog } from '../../../ui/lazy-part.tsx';

// What is behind the button is loaded with the first click: most visits to the list change nothing.
const ClientBulkDialog = lazyDialog(() => import('./client-bulk-dialog.tsx'), 'ClientBulkDialog');

const BUTTONS: readonly BulkActionButton<'delete'>[] = [{ name: 'delete', label: 'Delete', icon: IconTrash }];

/** @param onDone the ids of those to whom it was not done, when the dialog is closed */
export const ClientBulkActions = (props: {
  clients: readonly ListedClient[];
  onDone: (failedIds: string[]) => void;
}) => <BulkActions buttons={BUTTONS} dialog={ClientBulkDialog} items={props.clients} onDone={props.onDone} />;
