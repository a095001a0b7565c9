import { MESSAGE_STATUSES, type MessageStatus } from '../../format/message-status.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { type PagedSearch, pagedSearch } from '../../resource/list/page-step.ts';
import { IconMail } from '../../ui/icons.ts';
import { bodySearch } from './body/body-view.ts';

/** The queue's state that a link carries. */
interface MessagesSearch extends PagedSearch {
  status?: MessageStatus;
  /** Exact address or telephone number. */
  recipient?: string;
}

export function messagesSearch(search: Record<string, unknown>): MessagesSearch {
  const recipient = typeof search.recipient === 'string' ? search.recipient.trim() : '';
  const status = MESSAGE_STATUSES.find((known) => known === search.status);
  return {
    ...(status === undefined ? {} : { status }),
    ...(recipient === '' ? {} : { recipient }),
    ...pagedSearch(search),
  };
}

export const MESSAGES = defineResource({
  to: '/messages',
  one: 'message',
  many: 'messages',
  title: 'Message',
  label: 'Messages',
  about: 'What the identity service has written to people, and whether it could be delivered.',
  icon: IconMail,
  letter: 'm',
  needs: ['upstreams.read'],
  find: { label: 'Find messages to', search: (text) => ({ recipient: text }) },
  search: messagesSearch,
  recordSearch: bodySearch,
});
