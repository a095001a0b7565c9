import { Button, Text } from '@mantine/core';
import { IconUserSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Message } from '../../../api/message-record.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { messageStatus, templateInWords } from '../../../wording/message-words.ts';
import classes from './message-header.module.css';

export function MessageHeader({ message: { id, template, recipient, status } }: { message: Message }) {
  const { dot, label } = messageStatus(status);
  return (
    <PageHeading
      title={templateInWords(template)}
      about={
        <span className={classes.facts}>
          <StatusDot status={dot}>{visibleText(label)}</StatusDot>
          {recipient !== '' && (
            <span className={classes.copyable}>
              to <bdi>{visibleText(recipient)}</bdi>
              <CopyButton label="Copy the recipient" read={() => recipient} />
            </span>
          )}
          <span className={classes.copyable}>
            <Text span size="xs" ff="monospace">
              {id}
            </Text>
            <CopyButton label="Copy the message id" read={() => id} />
          </span>
        </span>
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
