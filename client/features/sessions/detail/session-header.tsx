import { Badge } from '@mantine/core';
import { listed, type SessionRecord } from '../../../api/sessions.ts';
import { SESSION_STATES, WHILE_INACTIVE } from '../../../format/session-state-label.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { calledAs } from '../session-name.ts';
import { ExtendButton } from './extend-button.tsx';
import { SessionMenu } from './session-menu.tsx';

export function SessionHeader({ session }: { session: SessionRecord }) {
  const { id, active } = session;
  const shown = listed(session);
  return (
    <PageHeading
      title={calledAs(shown)}
      about={
        <HeadingFacts>
          <Badge component="span" variant={active ? 'light' : 'default'} color={active ? undefined : 'gray'} tt="none">
            {SESSION_STATES[shown.state].word}
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
