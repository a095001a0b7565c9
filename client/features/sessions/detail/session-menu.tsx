import { listed, type SessionRecord } from '../../../api/sessions.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { IconUserX } from '../../../resource/icons.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { lazyDialog } from '../../../ui/loading/lazy-part.tsx';

const EndSession = lazyDialog(() => import('./end-session.tsx'), 'EndSession');
const EndAllSessions = lazyDialog(() => import('./end-all-sessions.tsx'), 'EndAllSessions');

/** An ended session cannot be ended; its person may have others. That of somebody inactive would come back with them. */
export const SessionMenu = ({ session }: { session: SessionRecord }) => (
  <ActionMenu
    subject={{ session }}
    actions={[
      ...(listed(session).state !== 'ended'
        ? [{ label: 'End this session…', icon: IconLogout, dialog: EndSession }]
        : []),
      ...(session.identity
        ? [{ label: 'End all sessions of this person…', icon: IconUserX, dialog: EndAllSessions }]
        : []),
    ]}
  />
);
