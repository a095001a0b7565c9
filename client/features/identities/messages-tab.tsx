import { Box, Group, Paper, Stack, Text } from '@mantine/core';
import { identityQuery } from '../../api/identities.ts';
import type { ListedMessage } from '../../api/messages.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../lib/labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { useRecord } from '../../record/tabs.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { TextLink } from '../../ui/layout.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { useLatestMessages } from '../sign-in-diagnosis/evidence.ts';

export function MessagesTab() {
  const identity = useRecord(identityQuery);
  const { addresses, results, messages, complete, more } = useLatestMessages(identity);
  if (addresses.length === 0)
    return <StatePanel kind="no-data" title="No address" text="This identity has no address to send messages to." />;
  const failed = results.flatMap(({ error, refetch }, index) =>
    error === null ? [] : [{ address: addresses[index] ?? '', error, refetch }],
  );
  return (
    <Stack gap="sm">
      {failed.map(({ address, error, refetch }) => (
        <FailurePanel
          key={address}
          error={error}
          title={`The messages to ${visibleText(address)} are unavailable`}
          onRetry={() => void refetch()}
        />
      ))}
      {messages.length > 0 ? (
        <Paper withBorder>
          <ul data-rows aria-label="Messages">
            {messages.map((message) => (
              <MessageRow key={message.id} message={message} />
            ))}
          </ul>
        </Paper>
      ) : complete ? (
        <StatePanel
          kind="no-data"
          title="No messages"
          text={`Nothing has been sent to ${visibleText(addresses.join(' or '))} recently.`}
        />
      ) : (
        results.some(({ isPending }) => isPending) && <LoadingRows label="Loading the messages" rows={3} height={56} />
      )}
      {more.map((recipient) => (
        <Group key={recipient}>
          <TextLink size="sm" to="/messages" search={{ recipient }} preload={false}>
            Older messages to <bdi>{visibleText(recipient)}</bdi>
          </TextLink>
        </Group>
      ))}
      <Text size="xs" c="dimmed">
        Messages to the identity’s current addresses. Those to earlier addresses are on the Messages page.
      </Text>
    </Stack>
  );
}

function MessageRow({ message }: { message: ListedMessage }) {
  const { id, template, channel, recipient, status, created } = message;
  const { dot, label } = messageStatus(status);
  return (
    <Group component="li" gap="0.5rem 1rem" px="md" py="sm">
      <Box flex="1 1 12rem" miw={0}>
        <Text size="sm" fw={500} component="div">
          <TextLink inherit to="/messages/$id" params={{ id }} preload={false}>
            {visibleText(formatTemplate(template))}
          </TextLink>
          {' · '}
          <RelativeTime at={created} />
        </Text>
        <Text size="xs" c="dimmed">
          {visibleText(formatChannel(channel))} to <bdi>{visibleText(recipient)}</bdi>
        </Text>
      </Box>
      <StatusDot status={dot}>{visibleText(label)}</StatusDot>
    </Group>
  );
}
