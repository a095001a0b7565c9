import '@mantine/core/styles/Input.layer.css';
import { Button, CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, memo, useEffect, useId, useState } from 'react';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../wording/message-status.ts';
import { messageStatus } from '../../../wording/message-words.ts';

const route = getRouteApi('/signed-in/messages');

const STATUSES = [
  { value: '', label: 'Every status' },
  ...MESSAGE_STATUSES.map((status) => ({ value: status, label: messageStatus(status).label })),
];

/** A status is looked up at once; a recipient on Enter, for whole addresses only are found. */
export const MessageFilter = memo(function MessageFilter() {
  const { status, recipient = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const explanation = useId();
  const [typed, setTyped] = useState(recipient);
  useEffect(() => setTyped(recipient), [recipient]);

  const look = (wanted: { status: MessageStatus | undefined; recipient: string }): void =>
    void navigate({
      search: ({ page_size }) => ({
        status: wanted.status,
        recipient: wanted.recipient.trim() || undefined,
        page_size,
      }),
      state: {},
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    look({ status, recipient: typed });
  };
  const clear = (): void => {
    setTyped('');
    if (recipient !== '') look({ status, recipient: '' });
  };

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-start" maw="46rem">
          <TextInput
            flex="2 1 14rem"
            aria-label="Recipient"
            aria-describedby={explanation}
            placeholder="Recipient"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={typed !== '' && <CloseButton size="sm" aria-label="Clear the recipient" onClick={clear} />}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <NativeSelect
            flex="1 1 9rem"
            aria-label="Status"
            value={status ?? ''}
            data={STATUSES}
            onChange={({ currentTarget: { value } }) =>
              look({ status: MESSAGE_STATUSES.find((known) => known === value), recipient })
            }
          />
          <Button type="submit" variant="default">
            Search
          </Button>
        </Group>
        <Text id={explanation} size="xs" c="dimmed" mt={4}>
          Enter searches. The whole address or telephone number must match, upper and lower case too.
        </Text>
      </form>
    </search>
  );
});
