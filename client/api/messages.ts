import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, text } from '../../shared/json.ts';
import type { MessageStatus } from '../format/message-status.ts';
import { type CursorPage, nextToken, refusedToken } from './cursor-page.ts';
import { send } from './request.ts';
import { unreadableAnswer } from './request-error.ts';
import { identityAdmin } from './upstream-api.ts';

/** A row of the queue. Subject and body are omitted, since they may contain codes that still work. */
export interface ListedMessage {
  id: string;
  /** A `MessageStatus`, or a value from a later version of the service. */
  status: string;
  recipient: string;
  /** `email`, `sms`, or a custom channel. */
  channel: string;
  /** `template_type`: what the message is about. */
  template: string;
  /** Number of delivery attempts. */
  attempts: number;
  /** ISO 8601; empty when unknown. */
  created: string;
}

/** Parameters of a page of the queue. The recipient must match exactly, including case. */
export interface MessagePageParams {
  pageSize: number;
  status?: MessageStatus | undefined;
  recipient?: string | undefined;
  /** The cursor that the page before named, good for an hour; undefined for the first page. */
  token: string | undefined;
}

/** Key prefix of every page of the queue. */
export const MESSAGE_PAGES_KEY = ['messages', 'page'] as const;

export const messagePageQuery = ({ pageSize, status, recipient, token }: MessagePageParams) =>
  queryOptions({
    queryKey: [...MESSAGE_PAGES_KEY, { pageSize, status, recipient, token }],
    queryFn: ({ signal }) => readMessagePage({ pageSize, status, recipient, token }, signal),
    retry: false,
  });

/** Reads a page, bypassing the cache. */
export async function readMessagePage(
  { pageSize, status, recipient, token }: MessagePageParams,
  signal?: AbortSignal,
): Promise<CursorPage<ListedMessage>> {
  const query = new URLSearchParams({ page_size: String(pageSize) });
  if (status !== undefined) query.set('status', status);
  if (recipient !== undefined) query.set('recipient', recipient);
  if (token !== undefined) query.set('page_token', token);
  const response = await send(`${identityAdmin('/courier/messages')}?${query}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body) || !body.every(isMessage)) throw unreadableAnswer('identity service', 'a list of messages');
  return { rows: body.map(listedMessage), next: nextToken(response.headers.get('Link') ?? '') };
}

export const isMessage = (value: unknown): value is JsonObject & { id: string } =>
  isObject(value) && typeof value.id === 'string';

export const listedMessage = (message: JsonObject & { id: string }): ListedMessage => ({
  id: message.id,
  status: text(message.status),
  recipient: text(message.recipient),
  channel: text(message.channel) || text(message.type),
  template: text(message.template_type),
  attempts: typeof message.send_count === 'number' ? message.send_count : 0,
  created: text(message.created_at),
});
