import { Badge } from '@mantine/core';
import type { ComponentType } from 'react';
import { identityIdIn } from '../../../format/identity-id.ts';
import { SESSION_STATES, WHILE_INACTIVE } from '../../../format/session-state-label.ts';
import { ActionMenu } from '../../../resource/detail/action-menu.tsx';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconUserX } from '../../../resource/icons.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { sessionName } from '../session-name.ts';
import { listed, type SessionRecord, sessionPath, sessionRecordQuery } from '../session-queries.ts';
import { SESSIONS } from '../session-resource.ts';
import { EndAllSessions } from './end-all-sessions.tsx';
import { EndSession } from './end-session.tsx';
import { ExtendButton } from './extend-button.tsx';
import { OverviewTab } from './overview-tab.tsx';

export const SessionPage: ComponentType = recordPage(SESSIONS, {
  query: sessionRecordQuery,
  isId: (id) => identityIdIn(id) !== undefined,
  header: (session) => <SessionHeader session={session} />,
  tabs: [['', 'Overview', OverviewTab]],
  json: { about: 'As the identity service returned it.', value: asReturned },
});

/** Without what the app has found out about it. */
function asReturned({ ended: _, ...session }: SessionRecord): unknown {
  return session;
}

function SessionHeader({ session }: { session: SessionRecord }) {
  const { id, active } = session;
  const shown = listed(session);
  return (
    <PageHeading
      title={sessionName(shown)}
      about={
        <HeadingFacts>
          <Badge component="span" variant={active ? 'light' : 'default'} color={active ? undefined : 'gray'} tt="none">
            {SESSION_STATES[shown.state].label}
          </Badge>
          <CopyableFact label="Copy the id" text={id} />
          {shown.state === 'person-inactive' && <span>{WHILE_INACTIVE}</span>}
        </HeadingFacts>
      }
      actions={
        <>
          {active && <ExtendButton id={id} />}
          <SessionMenu session={session} />
        </>
      }
    />
  );
}

/** An ended session cannot be ended again, but its person may have others. Those of an inactive person still can be. */
const SessionMenu = ({ session }: { session: SessionRecord }) => (
  <ActionMenu
    subject={{ session }}
    copy={{ path: sessionPath(session.id), value: asReturned(session) }}
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
