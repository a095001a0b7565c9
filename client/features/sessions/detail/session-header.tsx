import { Badge, Text } from '@mantine/core';
import { listed, type SessionRecord } from '../../../api/sessions.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { calledAs } from '../session-name.ts';
import { ExtendButton } from './extend-button.tsx';
import classes from './session-header.module.css';
import { SessionMenu } from './session-menu.tsx';

export function SessionHeader({ session }: { session: SessionRecord }) {
  const { id, active } = session;
  return (
    <PageHeading
      title={calledAs(listed(session))}
      about={
        <span className={classes.facts}>
          <Badge component="span" variant={active ? 'light' : 'default'} color={active ? undefined : 'gray'} tt="none">
            {active ? 'Active' : 'Ended'}
          </Badge>
          <span className={classes.copyable}>
            <Text span size="xs" ff="monospace">
              {id}
            </Text>
            <CopyButton label="Copy the id" read={() => id} />
          </span>
        </span>
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
