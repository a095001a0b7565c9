import type { ListedSession } from '../../../api/sessions.ts';
import { type BulkActionButton, BulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { IconClockPlus, IconUserX } from '../../../resource/icons.ts';
import type { Selection } from '../../../resource/list/use-selection.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';
import type { SessionActName } from './session-acts.ts';

// What is behind the buttons is loaded with the first click: most visits to the list change nothing.
const SessionBulkDialog = lazyDialog(() => import('./session-bulk-dialog.tsx'), 'SessionBulkDialog');

const BUTTONS: readonly BulkActionButton<SessionActName>[] = [
  { name: 'end', label: 'End', icon: IconLogout },
  { name: 'endAll', label: 'End all sessions of these people', icon: IconUserX },
  { name: 'extend', label: 'Extend', icon: IconClockPlus },
];

export const SessionBulkActions = ({ selection }: { selection: Selection<ListedSession> }) => (
  <BulkActions buttons={BUTTONS} dialog={SessionBulkDialog} selection={selection} />
);
