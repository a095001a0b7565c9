import { Stack } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { MESSAGE_STATUSES } from '../../../shared/messages.ts';
import { identityQuery } from '../../api/identities.ts';
import {
  type ListedMessage,
  MESSAGE_PAGES_KEY,
  messageAddresses,
  messagePageQuery,
  readMessagePage,
} from '../../api/messages.ts';
import { counted } from '../../lib/format-count.ts';
import { identifierOf } from '../../lib/identity-name.ts';
import { formatChannel, formatTemplate, messageStatus, TEMPLATE_CHOICES } from '../../lib/labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { SelectionBar } from '../../list/bulk-actions.tsx';
import type { Columns } from '../../list/columns.tsx';
import { useList } from '../../list/cursor-list.ts';
import { choicesIn, FilterBar, type Filters } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import type { NewerRowsQuery, RowMark } from '../../list/newer-rows.tsx';
import type { ParamsOf } from '../../list/resource.ts';
import { identityLabel, NoMatch, type Offer, SearchExplanation, useFoundIdentities } from '../../list/search.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { copyAndSay } from '../../ui/copy.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { IdentityLink, Person } from '../../ui/person.tsx';
import { IconCopy } from '../../ui/shell-icons.tsx';
import { MESSAGES, type MessagesSearch } from './message-resource.ts';

/** Few, because the service returns every message with its full text. */
const ROWS = 10;

const markOf = ({ id, created }: ListedMessage): RowMark => ({ id, at: Date.parse(created) });

/** The service can neither resend nor delete messages, so an operator can only contact the recipients. */
function RecipientActions() {
  const { selection } = useList<ListedMessage>();
  const recipients = [
    ...new Set(selection.rows.map(({ recipient }) => recipient).filter((recipient) => recipient !== '')),
  ];
  const copy = (): void =>
    void copyAndSay(recipients.join('\n'), counted(recipients.length, 'recipient', 'recipients'));
  return (
    <SelectionBar>
      <SmallButton leftSection={<IconCopy size={14} />} onClick={copy}>
        Copy recipients
      </SmallButton>
    </SelectionBar>
  );
}

/** For a recipient without messages: searches for the only matching address, or offers all of them. */
function NoRecipient({ recipient, status }: Pick<MessagesSearch, 'status'> & { recipient: string }) {
  const { pending, matches, rest, missing, error, refetch } = useFoundIdentities(recipient, true);
  const records = useQueries({ queries: matches.map(({ id }) => identityQuery(id)) });
  if (pending || records.some(({ isPending }) => isPending))
    return <LoadingRows label="Searching for people" rows={3} height={40} />;
  const addresses = matches.flatMap((found, index) => {
    const identity = records[index]?.data;
    return (identity === undefined ? [] : messageAddresses(identity)).map((address) => ({ found, address }));
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
          title="No exact match"
          text={`Messages can be found only by whole address. The text matches ${matches.length === 1 ? 'a person' : 'people'} with these addresses. ${missing}`}
          offers={[
            ...others.map(
              ({ found, address }): Offer => ({
                label:
                  identifierOf(found) === address
                    ? identityLabel(found)
                    : `${identityLabel(found)}: ${visibleText(address)}`,
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
          title={`No message to this recipient${status === undefined ? '' : ' has this status'}`}
          text={`The whole address must match, including case. Old messages may have been deleted, and none are sent to an address that belongs to nobody. ${missing}`}
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

const SHOW_ALL: Offer = { label: 'Show all messages', to: { search: {} } };

const FILTERS: Filters = {
  filters: [
    {
      name: 'status',
      label: 'Status',
      choices: [
        { value: '', label: 'All statuses' },
        ...MESSAGE_STATUSES.map((status) => ({ value: status, label: messageStatus(status).label })),
      ],
    },
    { name: 'template', label: 'About', choices: [{ value: '', label: 'Anything' }, ...TEMPLATE_CHOICES] },
    {
      name: 'created',
      label: 'Created',
      choices: choicesIn({ '': 'Any time', '1d': 'Last day', '7d': 'Last 7 days' }),
      days: true,
    },
  ],
};

export const MessagesPage = () => (
  <ListPage
    resource={MESSAGES}
    about="Messages from the identity service to people, and their status. Messages cannot be resent."
    service="The identity service"
    query={messagePageQuery}
    pagesKey={MESSAGE_PAGES_KEY}
    newer={NEWER}
    search={
      <FilterBar
        param="recipient"
        label="Recipient"
        cleared="the recipient"
        placeholder="Address, phone number or person"
        onEnter
        explanation={() => <SearchExplanation exact="A whole address or phone number must match, including case." />}
        useFilters={() => FILTERS}
      />
    }
    columns={COLUMNS}
    twoLines
    nameOf={({ template, recipient }) => `${formatTemplate(template)} to ${recipient || 'nobody'}`}
    order={() => 'Newest first. The identity service offers no other order.'}
    isSearch={({ status, recipient, template, created }) => (status ?? recipient ?? template ?? created) !== undefined}
    noMatch={<NoMessageMatches />}
    noData="Messages appear here when the identity service sends them, for recovery, verification or sign-in."
    bulkActions={<RecipientActions />}
  />
);

const NEWER: NewerRowsQuery<ListedMessage, ParamsOf<MessagesSearch>> = {
  one: 'message',
  many: 'messages',
  markOf,
  async readFirst(filter, signal) {
    const { rows, next } = await readMessagePage({ ...filter, pageSize: ROWS }, signal);
    return { marks: rows.map(markOf), more: next !== undefined };
  },
  // A search by template or time reads hundreds of messages.
  isFree: ({ recipient, template, created }) => (recipient ?? template ?? created) === undefined,
};

const COLUMNS: Columns<ListedMessage> = {
  about: {
    label: 'About',
    width: 1.2,
    cell: ({ template }) => formatTemplate(template),
  },
  recipient: {
    label: 'Recipient',
    width: 1.6,
    cell: ({ recipient, person }, tabIndex) =>
      person === undefined ? (
        <Person name={undefined} identifier={recipient} id="unknown" />
      ) : (
        <IdentityLink {...person} identifier={recipient} tabIndex={tabIndex} />
      ),
  },
  channel: {
    label: 'Channel',
    width: 0.8,
    wideOnly: true,
    cell: ({ channel }) => formatChannel(channel),
  },
  status: {
    label: 'Status',
    width: '11.5rem',
    cell: ({ status, attempts }) => {
      const { dot, label } = messageStatus(status, attempts);
      return <StatusDot status={dot}>{label}</StatusDot>;
    },
  },
  attempts: {
    label: 'Attempts',
    width: '6.5rem',
    wideOnly: true,
    cell: ({ attempts }) => String(attempts),
  },
  created: {
    label: 'Created',
    width: '9rem',
    cell: ({ created }) => <RelativeTime at={created} />,
  },
};

function NoMessageMatches() {
  const { params, loaded } = useList<ListedMessage, ParamsOf<MessagesSearch>>();
  const { status, recipient, template, created } = loaded?.params ?? params;
  if ((template ?? created) !== undefined)
    return (
      <NoMatch
        title="No message matches"
        text={`${loaded?.page.matches?.note ?? 'All messages are searched'}.`}
        offers={[SHOW_ALL]}
      />
    );
  if (recipient !== undefined) return <NoRecipient recipient={recipient} status={status} />;
  return (
    status && (
      <NoMatch
        title={`No message is ${messageStatus(status).label.toLowerCase()}`}
        text="There may be messages with another status."
        offers={[SHOW_ALL]}
      />
    )
  );
}
