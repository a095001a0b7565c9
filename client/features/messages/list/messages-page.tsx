import type { ComponentType } from 'react';
import { type ListedMessage, MESSAGE_PAGES_KEY, messagePageQuery } from '../../../api/messages.ts';
import { formatChannel, formatTemplate, messageStatus } from '../../../format/message.ts';
import { MESSAGE_STATUSES } from '../../../format/message-status.ts';
import { listPage } from '../../../resource/list/list-page.tsx';
import { NoMatch } from '../../../resource/list/no-match.tsx';
import { SearchFields } from '../../../resource/list/search-fields.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { MESSAGES } from '../message-resource.ts';
import { RecipientActions } from './recipient-actions.tsx';

export const MessagesPage: ComponentType = listPage(MESSAGES, {
  about:
    'What the identity service has written to people, and whether it could be delivered. It cannot send a message again.',
  service: 'The identity service',
  query: messagePageQuery,
  pagesKey: MESSAGE_PAGES_KEY,
  nameOf: ({ template, recipient }: ListedMessage) => `${formatTemplate(template)} to ${recipient || 'nobody'}`,
  columns: {
    recipient: {
      label: 'Recipient',
      wide: '1.6fr',
      medium: '1.5fr',
      card: '1fr',
      cell: ({ recipient }) => recipient || <em>not known</em>,
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
    tries: {
      label: 'Tries',
      wide: '4rem',
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
      explanation="Enter searches. The whole address or telephone number must match, upper and lower case too."
      fields={{
        recipient: { label: 'Recipient', cleared: 'the recipient', flex: '2 1 14rem' },
        status: {
          label: 'Status',
          flex: '1 1 9rem',
          choices: [
            { value: '', label: 'Every status' },
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
            text="Messages of another status may be there."
            offers={[SHOW_ALL]}
          />
        )
      );
    const lowered = recipient.toLowerCase();
    return (
      <NoMatch
        title="No message to this recipient"
        text="The whole address must match, upper and lower case too. Old messages may have been cleaned up, and none is made for an address that nobody has."
        offers={[
          lowered !== recipient && {
            label: 'Search in lower case',
            to: { search: { status, recipient: lowered } },
            first: true,
          },
          status !== undefined && { label: 'Any status', to: { search: { recipient } } },
          { label: 'Find this person', to: { to: '/identities', search: { identifier: recipient } } },
          SHOW_ALL,
        ]}
      />
    );
  },
  noData: 'A message appears here when the identity service writes to somebody: for recovery, verification or sign-in.',
  order: 'The newest first; the identity service offers no other order.',
  actions: (selection) => <RecipientActions selection={selection} />,
});

const SHOW_ALL = { label: 'Show all messages', to: { search: {} } };
