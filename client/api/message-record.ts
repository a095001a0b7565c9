import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, text } from '../../shared/json.ts';
import { ADDRESS_PATTERN, HOST_PATTERNS } from '../../shared/text.ts';
import { isMessage, type ListedMessage, listedMessage } from './messages.ts';
import { request } from './request.ts';
import { unreadableAnswer } from './request-error.ts';
import { identityAdmin } from './upstream-api.ts';

/** A message with its content and delivery attempts. */
export interface Message extends ListedMessage {
  updated: string;
  /** Undefined when the identity service redacts it, which it does outside development mode. */
  subject: string | undefined;
  body: string | undefined;
  /** Oldest first. */
  deliveries: readonly Delivery[];
  /** The service's whole response, with host names in errors redacted. */
  document: JsonObject;
}

export interface Delivery {
  id: string;
  /** `success`, `failed`, or a value from a later version. */
  status: string;
  at: string;
  /** Why it failed; undefined when not reported. */
  reason: string | undefined;
}

/** Placeholder for subject and body outside development mode. */
const REDACTED = '<redacted-unless-dev-mode>';
const REDACTION = '…';

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: async ({ signal }) => {
      const path = identityAdmin(`/courier/messages/${encodeURIComponent(id)}`);
      return asMessage(await request<unknown>(path, { signal }));
    },
    retry: false,
  });

/** @throws RequestError when the response is not a message */
export function asMessage(body: unknown): Message {
  if (!isMessage(body)) throw unreadableAnswer('identity service', 'a message');
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

const asDelivery = (dispatch: JsonObject, index: number): Delivery => {
  const { error } = dispatch;
  const reason = isObject(error) ? text(error.reason) || text(error.message) : text(error);
  return {
    id: text(dispatch.id) || String(index),
    status: text(dispatch.status),
    at: text(dispatch.created_at),
    reason: reason || undefined,
  };
};

/** The mail library's errors name the mail server and its port, which are not shown. */
const withoutHosts = (dispatch: JsonObject): JsonObject =>
  'error' in dispatch ? { ...dispatch, error: redacted(dispatch.error) } : dispatch;

function redacted(value: unknown): unknown {
  if (typeof value === 'string')
    return [ADDRESS_PATTERN, ...HOST_PATTERNS].reduce((rest, pattern) => rest.replace(pattern, REDACTION), value);
  if (Array.isArray(value)) return value.map(redacted);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redacted(member)]));
  return value;
}
