import { IconLogout, IconUserX } from '@tabler/icons-react';
import type { SessionRecord } from '../../../api/sessions.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { lazyDialog } from '../../../ui/lazy-part.tsx';

const EndSession = lazyDialog(() => import('./end-session.tsx'), 'EndSession');
const EndAllSessions = lazyDialog(() => import('./end-all-sessions.tsx'), 'EndAllSessions');

/** An ended session cannot be ended; its person may have others. */
export const SessionMenu = ({ session }: { session: SessionRecord }) => (
  <ActionMenu
    subject={{ session }}
    actions={[
      ...(session.active ? [{ label: 'End this session…', icon: IconLogout, dialog: EndSession }] : []),
      ...(session.identity
        ? [{ label: 'End all sessions of this person…', icon: IconUserX, dialog: EndAllSessions }]
        : []),
    ]}
  />
);
