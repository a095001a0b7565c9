import type { ListedClient } from '../../../api/oauth-clients.ts';
import { type BulkActionButton, BulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { IconTrash } from '../../../resource/icons.ts';
import type { Selection } from '../../../resource/list/use-selection.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';

// What is behind the button is loaded with the first click: most visits to the list change nothing.
const ClientBulkDialog = lazyDialog(() => import('./client-bulk-dialog.tsx'), 'ClientBulkDialog');

const BUTTONS: readonly BulkActionButton<'delete'>[] = [{ name: 'delete', label: 'Delete', icon: IconTrash }];

export const ClientBulkActions = ({ selection }: { selection: Selection<ListedClient> }) => (
  <BulkActions buttons={BUTTONS} dialog={ClientBulkDialog} selection={selection} />
);
