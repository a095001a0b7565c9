import { Stack } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { identityQuery } from '../../../api/identities-record.ts';
import { messageAddresses } from '../../../api/message-addresses.ts';
import { identifierOf } from '../../../format/identity-name.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { personLabel, useFoundPeople } from '../../../resource/search/found-people.ts';
import { NoMatch, type Offer } from '../../../resource/search/no-match.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import type { MessagesSearch } from '../message-resource.ts';

/** Nothing was sent to exactly this: the addresses of the people whom it finds are searched for, or offered. */
export function NoRecipient({ recipient, status }: Pick<MessagesSearch, 'status'> & { recipient: string }) {
  const { pending, people, rest, missing, error, refetch } = useFoundPeople(recipient, true);
  const records = useQueries({ queries: people.map(({ id }) => identityQuery(id)) });
  if (pending || records.some(({ isPending }) => isPending))
    return <LoadingRows label="Looking for people" rows={3} height={40} />;
  const addresses = people.flatMap((person, index) => {
    const identity = records[index]?.data;
    return (identity === undefined ? [] : messageAddresses(identity)).map((address) => ({ person, address }));
  });
  const others = addresses.filter(({ address }) => address !== recipient);
  const [only, ...more] = others;
  if (only !== undefined && more.length === 0 && addresses.length === 1 && rest === false)
    return <Navigate to="/messages" search={{ status, recipient: only.address }} replace />;
  const failure = error ?? records.find((record) => record.error !== null)?.error;
  const lowered = recipient.toLowerCase();
  return (
    <Stack gap="md">
      {failure != null && (
        <FailurePanel
          error={failure}
          onRetry={() => {
            refetch();
            for (const record of records) if (record.error !== null) void record.refetch();
          }}
        />
      )}
      {others.length > 0 ? (
        <NoMatch
          title="No message to exactly this"
          text={`It finds ${people.length === 1 ? 'a person' : 'people'} with these addresses. ${missing}`}
          offers={[
            ...others.map(
              ({ person, address }): Offer => ({
                label:
                  identifierOf(person) === address
                    ? personLabel(person)
                    : `${personLabel(person)}: ${visibleText(address)}`,
                to: { search: { status, recipient: address } },
              }),
            ),
            rest,
            status !== undefined && { label: 'Any status', to: { search: { recipient } } },
            SHOW_ALL,
          ]}
        />
      ) : (
        <NoMatch
          title="No message to this recipient"
          text={`The whole address must match, including case. Old messages may have been deleted, and none is sent to an address that belongs to nobody. ${missing}`}
          offers={[
            lowered !== recipient && {
              label: 'Search in lower case',
              to: { search: { status, recipient: lowered } },
              first: true,
            },
            status !== undefined && { label: 'Any status', to: { search: { recipient } } },
            { label: 'Find this person', to: { to: '/identities', search: { q: recipient } } },
            SHOW_ALL,
          ]}
        />
      )}
    </Stack>
  );
}

export const SHOW_ALL: Offer = { label: 'Show all messages', to: { search: {} } };
