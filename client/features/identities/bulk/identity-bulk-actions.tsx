import type { ListedIdentity } from '../../../../shared/identities.ts';
import { type BulkActionButton, BulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { IconPlayerPause, IconPlayerPlay, IconTrash } from '../../../resource/icons.ts';
import type { Selection } from '../../../resource/list/use-selection.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';
import type { IdentityActName } from './identity-acts.ts';

// What is behind the buttons is loaded with the first click: most visits to the list change nothing.
const IdentityBulkDialog = lazyDialog(() => import('./identity-bulk-dialog.tsx'), 'IdentityBulkDialog');

const BUTTONS: readonly BulkActionButton<IdentityActName>[] = [
  { name: 'deactivate', label: 'Deactivate', icon: IconPlayerPause },
  { name: 'activate', label: 'Activate', icon: IconPlayerPlay },
  { name: 'endSessions', label: 'End sessions', icon: IconLogout },
  { name: 'delete', label: 'Delete', icon: IconTrash },
];

export const IdentityBulkActions = ({ selection }: { selection: Selection<ListedIdentity> }) => (
  <BulkActions buttons={BUTTONS} dialog={IdentityBulkDialog} selection={selection} />
);
