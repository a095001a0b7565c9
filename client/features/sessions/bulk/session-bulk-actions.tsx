import { IconClockPlus, IconLogout, IconUserX } from '@tabler/icons-react';
import type { ListedSession } from '../../../api/sessions.ts';
import { type BulkActionButton, BulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { lazyDialog } from '../../../ui/lazy-part.tsx';
import type { SessionActName } from './session-acts.ts';

// What is behind the buttons is loaded with the first click: most visits to the list change nothing.
const SessionBulkDialog = lazyDialog(() => import('./session-bulk-dialog.tsx'), 'SessionBulkDialog');

const BUTTONS: readonly BulkActionButton<SessionActName>[] = [
  { name: 'end', label: 'End', icon: IconLogout },
  { name: 'endAll', label: 'End all sessions of these people', icon: IconUserX },
  { name: 'extend', label: 'Extend', icon: IconClockPlus },
];

/** @param onDone the ids of those to whom it was not done, when the dialog is closed */
export const SessionBulkActions = (props: {
  sessions: readonly ListedSession[];
  onDone: (failedIds: string[]) => void;
}) => <BulkActions buttons={BUTTONS} dialog={SessionBulkDialog} items={props.sessions} onDone={props.onDone} />;
