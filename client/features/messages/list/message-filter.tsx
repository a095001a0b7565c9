import { NativeSelect } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { messageStatus } from '../../../format/message.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../format/message-status.ts';
import { SearchField, SearchForm } from '../../../ui/form/search-form.tsx';

const route = getRouteApi('/signed-in/messages');

const STATUSES = [
  { value: '', label: 'Every status' },
  ...MESSAGE_STATUSES.map((status) => ({ value: status, label: messageStatus(status).label })),
];

/** A status is looked up at once; a recipient on Enter, for whole addresses only are found. */
export const MessageFilter = memo(function MessageFilter() {
  const { status, recipient = '' } = route.useSearch();
  const navigate = route.useNavigate();
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
  const clear = (): void => {
    setTyped('');
    if (recipient !== '') look({ status, recipient: '' });
  };

  return (
    <SearchForm
      maw="46rem"
      onSubmit={() => look({ status, recipient: typed })}
      explanation="Enter searches. The whole address or telephone number must match, upper and lower case too."
    >
      {(explanation) => (
        <>
          <SearchField
            flex="2 1 14rem"
            label="Recipient"
            cleared="the recipient"
            aria-describedby={explanation}
            value={typed}
            onChange={setTyped}
            onClear={clear}
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
        </>
      )}
    </SearchForm>
  );
});
