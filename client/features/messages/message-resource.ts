import { type PagedSearch, pagedSearch } from '../../list/cursor-list.ts';
import { defineResource } from '../../list/resource.ts';
import { IconMail } from '../../ui/shell-icons.tsx';

/** A body without any of these tags is plain text, even if it contains angle brackets. */
const MARKUP =
  /<(?:!doctype\s+html|\/?(?:html|head|body|table|tr|td|div|span|p|br|a|img|h[1-6]|ul|ol|li|b|strong|i|em|center|font|style)(?:\s[^<>]*)?\/?)>/i;

export const isHtml = (body: string): boolean => MARKUP.test(body);

export const BODY_VIEWS = ['text', 'formatted', 'source'] as const;
export type BodyView = (typeof BODY_VIEWS)[number];

/** Search parameters of a message's page: how its body is shown; absent for text. */
export interface BodySearch {
  as?: Exclude<BodyView, 'text'>;
}

export const bodySearch = ({ as: wanted }: Record<string, unknown>): BodySearch => ({
  as: wanted === 'formatted' || wanted === 'source' ? wanted : undefined,
});

/** In the order in which a message goes through them. */
export const MESSAGE_STATUSES = ['queued', 'processing', 'sent', 'abandoned'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

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
