import { infiniteQueryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, membersOf, text, texts } from '../../shared/json.ts';
import { type CursorPage, nextToken, refusedToken } from './cursor-page.ts';
import { oauthAdmin } from './oauth-prefix.ts';
import { bodyOf, send } from './request.ts';
import { unreadableAnswer } from './request-error.ts';

/** What somebody granted to a client at one sign-in. Of the claims that went with it nothing is kept here. */
export interface Consent {
  /** `consent_request_id` */
  id: string;
  /** Empty where the answer names no client. */
  clientId: string;
  /** Empty where the client has none. */
  clientName: string;
  scopes: readonly string[];
  audiences: readonly string[];
  /** When it was given, ISO 8601; empty where the answer does not say. */
  at: string;
  /** For how many seconds it is not asked for again; `Infinity` until it is revoked, 0 not at all. */
  rememberedFor: number;
  /** By what the person had signed in, as the login page told the OAuth server. */
  methods: readonly string[];
}

/** The most that the OAuth server gives at once. It returns them in no particular order. */
const PAGE_SIZE = 500;
export const CONSENTS = oauthAdmin('/oauth2/auth/sessions/consent');

/** A subject's consents, page after page; a subject that never was has none. */
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
