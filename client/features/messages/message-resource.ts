import { MESSAGE_STATUSES, type MessageStatus } from '../../../shared/messages.ts';
import { periodIn, present } from '../../api/identity-filters.ts';
import { defineResource, type PagedSearch, pagedSearch } from '../../list/resource.ts';
import { IconMail } from '../../ui/shell-icons.tsx';

export const MESSAGES = defineResource({
  to: '/messages',
  one: 'message',
  many: 'messages',
  title: 'Message',
  label: 'Messages',
  about: 'Messages the identity service has sent to people, and their delivery.',
  icon: IconMail,
  letter: 'm',
  needs: ['messages.read'],
  search: messagesSearch,
  recordSearch: bodySearch,
});

export const BODY_VIEWS = ['text', 'formatted', 'source'] as const;
export type BodyView = (typeof BODY_VIEWS)[number];

/** Search parameters of a message's page: the body's format, absent for text. */
function bodySearch({ as }: Record<string, unknown>): { as?: Exclude<BodyView, 'text'> } {
  return { as: as === 'formatted' || as === 'source' ? as : undefined };
}

export interface MessagesSearch extends PagedSearch {
  status?: MessageStatus;
  /** An exact address or phone number. */
  recipient?: string;
  template?: string;
  created?: string;
}

function messagesSearch(search: Record<string, unknown>): MessagesSearch {
  const recipient = typeof search.recipient === 'string' ? search.recipient.trim() : '';
  const status = MESSAGE_STATUSES.find((one) => one === search.status);
  const template = typeof search.template === 'string' ? search.template : undefined;
  const created = periodIn(search.created);
  return { ...present({ status, recipient: recipient || undefined, template, created }), ...pagedSearch(search) };
}
