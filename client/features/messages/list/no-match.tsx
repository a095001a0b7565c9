import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { messageStatus } from '../../../format/message.ts';
import type { MessageStatus } from '../../../format/message-status.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';

const route = getRouteApi('/signed-in/messages');

/** The filter hides every message: what is likely meant instead. */
export function NoMatch({ status, recipient }: { status: MessageStatus | undefined; recipient: string | undefined }) {
  const navigate = route.useNavigate();
  const look = (search: { status?: MessageStatus; recipient?: string }) => void navigate({ search, state: {} });
  const lowered = recipient?.toLowerCase();
  const filtered = status === undefined ? undefined : messageStatus(status).label.toLowerCase();
  return (
    <EmptyState
      kind="no-match"
      title={recipient === undefined ? `No message is ${filtered}` : 'No message to this recipient'}
      text={
        recipient === undefined
          ? 'Messages of another status may be there.'
          : 'The whole address must match, upper and lower case too. Old messages may have been cleaned up, and none is made for an address that nobody has.'
      }
      actions={
        <Group gap="xs" justify="center">
          {lowered !== undefined && lowered !== recipient && (
            <Button size="xs" onClick={() => look({ ...(status && { status }), recipient: lowered })}>
              Search in lower case
            </Button>
          )}
          {status !== undefined && recipient !== undefined && (
            <Button size="xs" variant="default" onClick={() => look({ recipient })}>
              Any status
            </Button>
          )}
          {recipient !== undefined && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void navigate({ to: '/identities', search: { identifier: recipient } })}
            >
              Find this person
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => look({})}>
            Show all messages
          </Button>
        </Group>
      }
    />
  );
}
