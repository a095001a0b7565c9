import { MESSAGE_STATUSES, type MessageStatus } from '../../../format/message-status.ts';
import { type PagedSearch, type PageStep, pageAsked, pagedSearch } from '../../../resource/list/page-step.ts';

/** The queue's state that a link carries. */
export interface MessagesSearch extends PagedSearch {
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

/** The question of the page that this address and history entry stand for. */
export const pageParams = (search: MessagesSearch, pages: readonly PageStep[]) => ({
  ...pageAsked(search, pages),
  status: search.status,
  recipient: search.recipient,
});
