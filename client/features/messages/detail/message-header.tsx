import { Button } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Message } from '../../../api/message-record.ts';
import { CopyableFact, HeadingFacts } from '../../../resource/detail/heading-facts.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { messageStatus, templateInWords } from '../../../wording/message-words.ts';

export function MessageHeader({ message: { id, template, recipient, status } }: { message: Message }) {
  const { dot, label } = messageStatus(status);
  return (
    <PageHeading
      title={templateInWords(template)}
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
            leftSection={<IconUserSearch size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link {...props} to="/identities" search={{ identifier: recipient }} preload={false} />
            )}
          >
            Find this person
          </Button>
        )
      }
    />
  );
}
