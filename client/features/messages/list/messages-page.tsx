import type { ComponentType } from 'react';
import { type ListedMessage, MESSAGE_PAGES_KEY, messagePageQuery } from '../../../api/messages.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../../format/message.ts';
import { MESSAGE_STATUSES } from '../../../format/message-status.ts';
import { listPage } from '../../../resource/list/list-page.tsx';
import { PeopleExplanation } from '../../../resource/search/found-people.ts';
import { NoMatch } from '../../../resource/search/no-match.tsx';
import { SearchFields } from '../../../resource/search/search-fields.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { MESSAGES } from '../message-resource.ts';
import { NewMessages } from './new-messages.tsx';
import { NoRecipient, SHOW_ALL } from './no-recipient.tsx';
import { RecipientActions } from './recipient-actions.tsx';

export const MessagesPage: ComponentType = listPage(MESSAGES, {
  about:
    'Messages that the identity service has sent to people, and whether they were delivered. They cannot be resent.',
  service: 'The identity service',
  query: messagePageQuery,
  pagesKey: MESSAGE_PAGES_KEY,
  newer: NewMessages,
  nameOf: ({ template, recipient }: ListedMessage) => `${formatTemplate(template)} to ${recipient || 'nobody'}`,
  columns: {
    recipient: {
      label: 'Recipient',
      wide: '1.6fr',
      medium: '1.5fr',
      card: '1fr',
      cell: ({ recipient }) => recipient || <em>unknown</em>,
    },
    about: {
      label: 'About',
      wide: '1.2fr',
      medium: '1.1fr',
      card: { line: 2, under: 'recipient' },
      cell: ({ template }) => formatTemplate(template),
    },
    channel: {
      label: 'Channel',
      wide: '0.8fr',
      medium: 'hidden',
      card: 'hidden',
      cell: ({ channel }) => formatChannel(channel),
    },
    status: {
      label: 'Status',
      wide: '8.5rem',
      medium: '8.5rem',
      card: '8rem',
      cell: ({ status }) => {
        const { dot, label } = messageStatus(status);
        return StatusDot({ status: dot, children: label });
      },
    },
    attempts: {
      label: 'Attempts',
      wide: '6.5rem',
      medium: 'hidden',
      card: 'hidden',
      cell: ({ attempts }) => String(attempts),
    },
    created: {
      label: 'Created',
      wide: '9rem',
      medium: '9rem',
      card: { line: 2, under: 'status' },
      cell: ({ created }) => RelativeTime({ at: created }),
    },
  },
  search: (
    <SearchFields
      explanation={<PeopleExplanation exact="A whole address or phone number must match, including case." />}
      fields={{
        recipient: {
          label: 'Recipient',
          placeholder: 'Address, phone number or person',
          cleared: 'the recipient',
          flex: '2 1 12rem',
        },
        status: {
          label: 'Status',
          flex: '1 1 9rem',
          choices: [
            { value: '', label: 'All statuses' },
            ...MESSAGE_STATUSES.map((status) => ({ value: status, label: messageStatus(status).label })),
          ],
        },
      }}
    />
  ),
  noMatch({ status, recipient }) {
    if (recipient === undefined)
      return (
        status && (
          <NoMatch
            title={`No message is ${messageStatus(status).label.toLowerCase()}`}
            text="There may be messages with another status."
            offers={[SHOW_ALL]}
          />
        )
      );
    return <NoRecipient recipient={recipient} status={status} />;
  },
  noData: 'Messages appear here when the identity service sends them, for recovery, verification or sign-in.',
  order: 'Newest first. The identity service offers no other order.',
  actions: (selection) => <RecipientActions selection={selection} />,
});
