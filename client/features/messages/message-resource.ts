import { MESSAGE_STATUSES, type MessageStatus } from '../../format/message-status.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { type PagedSearch, pagedSearch } from '../../resource/list/page-step.ts';
import { IconMail } from '../../ui/icons.ts';
import { bodySearch } from './body/body-view.ts';

/** Search parameters of the list. */
export interface MessagesSearch extends PagedSearch {
  status?: MessageStatus;
  /** Exact address or phone number. */
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
  about: 'Messages the identity service has sent to people, and their delivery.',
  icon: IconMail,
  letter: 'm',
  needs: ['upstreams.read'],
  find: { label: 'Find messages to', search: (text) => ({ recipient: text }) },
  search: messagesSearch,
  recordSearch: bodySearch,
});
