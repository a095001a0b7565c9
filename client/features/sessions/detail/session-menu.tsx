import { IconLogout, IconUserX } from '@tabler/icons-react';
import { lazyRouteComponent } from '@tanstack/react-router';
import type { SessionRecord } from '../../../api/sessions.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';

const EndSession = lazyRouteComponent(() => import('./end-session.tsx'), 'EndSession');
const EndAllSessions = lazyRouteComponent(() => import('./end-all-sessions.tsx'), 'EndAllSessions');

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
