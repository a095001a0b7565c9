import type { ListedSession } from '../../../api/sessions.ts';
import type { BulkDialogProps } from '../../../resource/bulk/bulk-actions.tsx';
import { BulkDialog } from '../../../resource/bulk/bulk-dialog.tsx';
import { CHOSEN_SESSIONS, SESSION_ACTS, type SessionActName } from './session-acts.ts';

export const SessionBulkDialog = ({ name, ...props }: BulkDialogProps<ListedSession, SessionActName>) => (
  <BulkDialog act={SESSION_ACTS[name]} subject={CHOSEN_SESSIONS} {...props} />
);
