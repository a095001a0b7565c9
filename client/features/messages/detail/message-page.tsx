import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { type Message, messageQuery } from '../../../api/message-record.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { formatTemplate, messageStatus } from '../../../format/message.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { recordPage } from '../../../resource/detail/record-page.tsx';
import { IconUserSearch } from '../../../resource/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { MESSAGES } from '../message-resource.ts';
import { OverviewTab } from './overview-tab.tsx';

export const MessagePage: ComponentType = recordPage(MESSAGES, {
  query: messageQuery,
  isId: (id) => identityIdIn(id) !== undefined,
  header: (message) => <MessageHeader message={message} />,
  tabs: [['', 'Overview', OverviewTab]],
  json: {
    about: 'As the identity service returned it, with mail server names in errors redacted.',
    value: ({ document }) => document,
  },
});

function MessageHeader({ message: { id, template, recipient, status } }: { message: Message }) {
  const { dot, label } = messageStatus(status);
  return (
    <PageHeading
      title={formatTemplate(template)}
      about={
        <HeadingFacts>
          <StatusDot status={dot}>{visibleText(label)}</StatusDot>
          {recipient !== '' && (
            <CopyableFact label="Copy the recipient" text={recipient}>
              to <bdi>{visibleText(recipient)}</bdi>
            </CopyableFact>
          )}
          <CopyableFact label="Copy the message id" text={id} />
        </HeadingFacts>
      }
      actions={
        recipient !== '' && (
          <Button
            leftSection={<IconUserSearch />}
            renderRoot={(props) => <Link {...props} to="/identities" search={{ q: recipient }} preload={false} />}
          >
            Find this person
          </Button>
        )
      }
    />
  );
}
