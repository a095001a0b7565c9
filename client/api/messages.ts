import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, membersOf, text, texts, timeOf } from '../../shared/json.ts';
import type { MessagePage } from '../../shared/messages.ts';
import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../shared/text.ts';
import { digits } from '../lib/format-count.ts';
import { clockTime } from '../lib/format-time.ts';
import { parsePeriod, timesOf } from '../lib/period.ts';
import { type CursorPage, readUpstreamPage } from './cursor-page.ts';
import type { Identity } from './identities.ts';
import { identityAdmin, request, unreadableResponse, withQuery } from './request.ts';
import { mayRead } from './session.ts';

/** Parameters of a page of the queue. The recipient must match exactly, including case. */
export interface MessagePageParams {
  pageSize: number;
  status?: string | undefined;
  recipient?: string | undefined;
  template?: string | undefined;
  /** A period as in the URL. Like a template, it is searched for among the newest messages only. */
  created?: string | undefined;
  /** Cursor from the previous page, valid for an hour; undefined for the first page. */
  token: string | undefined;
}

export const MESSAGE_PAGES_KEY = ['messages', 'page'] as const;

export const messagePageQuery = (params: MessagePageParams) =>
  queryOptions({
    queryKey: [...MESSAGE_PAGES_KEY, params],
    queryFn: ({ signal }) => readMessagePage(params, signal),
    retry: false,
  });

/** Without subjects and bodies. A search by recipient leaves an audit record. */
export async function readMessagePage(
  { pageSize, token, created, ...filters }: MessagePageParams,
  signal: AbortSignal,
): Promise<CursorPage<ListedMessage>> {
  const period = parsePeriod(created);
  const parameters = { page_size: pageSize, page_token: token, ...filters, ...(period && timesOf(period, Date.now())) };
  const { messages, has_more, next_page_token, total, newest } = await request<MessagePage>(
    withQuery(MESSAGES, parameters),
    { signal },
  );
  const since = newest && clockTime(Date.parse(newest.since), Date.now());
  const note = newest && `Only the newest ${digits(newest.messages)} are searched, back to ${since}`;
  return {
    rows: messages.map((message) => listedMessage({ ...message })),
    next: (has_more && next_page_token) || undefined,
    ...(total !== undefined && { matches: { total, complete: true, asOf: null, ...(note && { note }) } }),
  };
}

/** Other roles read messages from our route only. */
const readsContent = (client: QueryClient): boolean => mayRead(client, 'upstreams.write', true);
const MESSAGES = '/api/messages';

const isMessage = (value: unknown): value is JsonObject & { id: string } =>
  isObject(value) && typeof value.id === 'string';

/** A row of the queue. Subject and body are omitted, since they may contain valid codes. */
const listedMessage = (message: JsonObject & { id: string }) => ({
  id: message.id,
  /** One of the identity service's four statuses, or a status from a later version. */
  status: text(message.status),
  recipient: text(message.recipient),
  /** `email`, `sms`, or a custom channel. */
  channel: text(message.channel) || text(message.type),
  template: text(message.template_type),
  attempts: typeof message.send_count === 'number' ? message.send_count : 0,
  created: text(message.created_at),
  /** Whose address it is; undefined if unknown. */
  person: asPerson(message.identity),
});

function asPerson(identity: unknown) {
  const { id, name } = membersOf(identity);
  return text(id) === '' ? undefined : { id: text(id), name: text(name) || undefined };
}

export type ListedMessage = ReturnType<typeof listedMessage>;

export interface Message extends ListedMessage {
  updated: string;
  /** Undefined unless the identity service runs in development mode: otherwise it redacts the content. */
  subject: string | undefined;
  body: string | undefined;
  deliveries: readonly Delivery[];
  /** The full response, with host names in errors redacted. */
  document: JsonObject;
}

/** The identity service sends this for subject and body outside development mode. */
const REDACTED = '<redacted-unless-dev-mode>';
const REDACTION = '…';

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: async ({ signal, client }): Promise<Message> => {
      const read = (path: string) => request<unknown>(`${path}/${encodeURIComponent(id)}`, { signal });
      if (!readsContent(client)) return asMessage(await read(MESSAGES));
      const [body, named] = await Promise.all([
        read(identityAdmin('/courier/messages')),
        // Only our route says whose it is.
        read(MESSAGES).catch(() => undefined),
      ]);
      return { ...asMessage(body), person: asPerson(membersOf(named).identity) };
    },
    retry: false,
  });

export function asMessage(body: unknown): Message {
  if (!isMessage(body)) throw unreadableResponse('identity service', 'a message');
  const dispatches = Array.isArray(body.dispatches) ? body.dispatches.filter(isObject).map(withoutHosts) : undefined;
  const document = dispatches === undefined ? body : { ...body, dispatches };
  return {
    ...listedMessage(body),
    updated: text(body.updated_at),
    subject: unlessRedacted(body.subject),
    body: unlessRedacted(body.body),
    deliveries: (dispatches ?? []).map(asDelivery).sort((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    document,
  };
}

const unlessRedacted = (value: unknown): string | undefined => (value === REDACTED ? undefined : text(value));

const asDelivery = (dispatch: JsonObject, index: number) => {
  const { error } = dispatch;
  const reason = isObject(error) ? text(error.reason) || text(error.message) : text(error);
  return {
    id: text(dispatch.id) || String(index),
    /** `success`, `failed`, or a value from a later version. */
    status: text(dispatch.status),
    at: text(dispatch.created_at),
    reason: reason || undefined,
  };
};
export type Delivery = ReturnType<typeof asDelivery>;

/** Errors of the mail library may contain host and port of the mail server. */
const withoutHosts = (dispatch: JsonObject): JsonObject =>
  'error' in dispatch ? { ...dispatch, error: redacted(dispatch.error) } : dispatch;

function redacted(value: unknown): unknown {
  if (typeof value === 'string')
    return [ADDRESS_PATTERN, ...HOST_PATTERNS].reduce((rest, pattern) => rest.replace(pattern, REDACTION), value);
  if (Array.isArray(value)) return value.map(redacted);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redacted(member)]));
  return value;
}

/** Limits the number of requests, since each address needs one. */
const ADDRESSES_MAX = 8;

/** Addresses for messages to an identity (verification, recovery and sign-in codes), at most `ADDRESSES_MAX`. */
export function messageAddresses(
  identity: Pick<Identity, 'verifiable_addresses' | 'recovery_addresses' | 'credentials'>,
): readonly string[] {
  const { verifiable_addresses: verifiable = [], recovery_addresses: recovery = [], credentials } = identity;
  const code = texts(membersOf(membersOf(credentials).code).identifiers);
  const all = new Set([...texts([...verifiable, ...recovery].map(({ value }) => value)), ...code]);
  return [...all].filter((value) => value !== '').slice(0, ADDRESSES_MAX);
}

/** How many messages to read for each address; the Messages page lists older ones. */
const LATEST_MAX = 25;

/** The latest messages to an address, or those after a cursor. Without an audit record for those who read contents. */
export const latestMessagesQuery = (recipient: string, token?: string) => {
  const params = { pageSize: LATEST_MAX, recipient, token };
  return queryOptions({
    queryKey: [...MESSAGE_PAGES_KEY, params],
    async queryFn({ signal, client }): Promise<CursorPage<ListedMessage>> {
      if (!readsContent(client)) return readMessagePage(params, signal);
      const { rows, next } = await readUpstreamPage<JsonObject & { id: string }>(
        identityAdmin('/courier/messages'),
        { page_size: LATEST_MAX, recipient, page_token: token },
        isMessage,
        ['identity service', 'a list of messages'],
        signal,
      );
      return { rows: rows.map(listedMessage), next };
    },
    retry: false,
  });
};

/** Merges lists of messages and removes duplicates; newest first. */
export function latestOf(lists: readonly (readonly ListedMessage[])[]): readonly ListedMessage[] {
  const byId = new Map(lists.flat().map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => timeOf(b.created) - timeOf(a.created));
}
