import { infiniteQueryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, membersOf, text, texts } from '../../shared/json.ts';
import { type CursorPage, nextToken, refusedToken } from './cursor-page.ts';
import { bodyOf, send } from './request.ts';
import { unreadableAnswer } from './request-error.ts';
import { oauthAdmin } from './upstream-api.ts';

/** What somebody granted to a client in one consent. The claims that came with it are dropped. */
export interface Consent {
  /** `consent_request_id` */
  id: string;
  /** Empty when the response names no client. */
  clientId: string;
  /** Empty when the client has no name. */
  clientName: string;
  scopes: readonly string[];
  audiences: readonly string[];
  /** ISO 8601; empty when unknown. */
  at: string;
  /** For how many seconds consent is not requested again: `Infinity` until it is revoked, 0 if it is not remembered. */
  rememberedFor: number;
  /** How the person had signed in, as the login page reported it to the OAuth server. */
  methods: readonly string[];
}

/** The OAuth server's maximum page size. Consents come in no particular order. */
const PAGE_SIZE = 500;
export const CONSENTS = oauthAdmin('/oauth2/auth/sessions/consent');

/** A subject's consents; an unknown subject has none. */
export const consentsQuery = (subject: string) =>
  infiniteQueryOptions({
    queryKey: ['consents', subject],
    queryFn: ({ pageParam, signal }) => readConsents(subject, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false,
  });

async function readConsents(
  subject: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<Consent>> {
  const query = new URLSearchParams({ subject, page_size: String(PAGE_SIZE) });
  if (token !== undefined) query.set('page_token', token);
  const response = await send(`${CONSENTS}?${query}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  const body = await bodyOf<unknown>(response);
  if (!Array.isArray(body) || !body.every((item) => isObject(item) && typeof item.consent_request_id === 'string'))
    throw unreadableAnswer('OAuth server', 'a list of consents');
  return { rows: body.map(asConsent), next: nextToken(response.headers.get('Link') ?? '') };
}

function asConsent(item: JsonObject): Consent {
  const request = membersOf(item.consent_request);
  const client = membersOf(request.client);
  return {
    id: String(item.consent_request_id),
    clientId: text(client.client_id),
    clientName: text(client.client_name),
    scopes: texts(item.grant_scope),
    audiences: texts(item.grant_access_token_audience),
    at: text(item.handled_at),
    rememberedFor: item.remember === true ? Number(item.remember_for) || Number.POSITIVE_INFINITY : 0,
    methods: texts(request.amr),
  };
}
