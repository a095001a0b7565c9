import { Badge } from '@mantine/core';
import { listed, type SessionRecord } from '../../../api/sessions.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { calledAs } from '../session-name.ts';
import { ExtendButton } from './extend-button.tsx';
import { SessionMenu } from './session-menu.tsx';

export function SessionHeader({ session }: { session: SessionRecord }) {
  const { id, active } = session;
  return (
    <PageHeading
      title={calledAs(listed(session))}
      about={
        <HeadingFacts>
          <Badge component="span" variant={active ? 'light' : 'default'} color={active ? undefined : 'gray'} tt="none">
            {active ? 'Active' : 'Ended'}
          </Badge>
          <CopyableFact label="Copy the id" text={id} />
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
