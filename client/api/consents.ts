import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { type JsonObject, membersOf, text, texts } from '../../shared/json.ts';
import { CURSOR_PAGES, type CursorPage, readUpstreamPage } from './cursor-page.ts';
import { oauthAdmin, reworded, send } from './request.ts';

/** A consent: the access that a person granted to a client. Claims in the response are dropped. */
export interface Consent {
  /** `consent_request_id` */
  id: string;
  /** Empty when the response names no client. */
  clientId: string;
  clientName: string;
  scopes: readonly string[];
  audiences: readonly string[];
  /** ISO 8601; empty when unknown. */
  at: string;
  /** For how many seconds consent is not requested again: `Infinity` until revoked, 0 if not remembered. */
  rememberedFor: number;
  /** The person's sign-in methods, as the login page reported them to the OAuth server. */
  methods: readonly string[];
}

/** The OAuth server's maximum page size. Consents come in no particular order. */
const PAGE_SIZE = 500;
const CONSENTS = oauthAdmin('/oauth2/auth/sessions/consent');

/** A subject's consents; an unknown subject has none. */
export const consentsQuery = (subject: string) =>
  infiniteQueryOptions({
    queryKey: ['consents', subject],
    queryFn: ({ pageParam, signal }) => readConsents(subject, pageParam, signal),
    ...CURSOR_PAGES,
  });

async function readConsents(
  subject: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<Consent>> {
  const { rows, next } = await readUpstreamPage(
    CONSENTS,
    { subject, page_size: PAGE_SIZE, page_token: token },
    ({ consent_request_id }) => typeof consent_request_id === 'string',
    ['OAuth server', 'a list of consents'],
    signal,
  );
  return { rows: rows.map(asConsent), next };
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

export type ConsentsMeant = { id: string } | { clientId: string } | 'all';

/**
 * Revokes consents, and with them the tokens issued under them. The OAuth server reports success whether or not it
 * revoked anything, so the list is read before and after. A list that cannot be read does not prevent revoking.
 * @returns how many there were in the pages loaded before; undefined when no list could be read before
 * @throws also when some are still there afterwards, or when that cannot be checked
 */
export async function revokeConsents(
  queryClient: QueryClient,
  subject: string,
  meant: ConsentsMeant,
): Promise<number | undefined> {
  const look = async (): Promise<Consent[]> => {
    const query = consentsQuery(subject);
    // A request in flight may return the consents from before the change.
    await queryClient.cancelQueries({ queryKey: query.queryKey });
    const { pages } = await queryClient.fetchInfiniteQuery({ ...query, staleTime: 0 });
    return pages.flatMap(({ rows }) => rows).filter((consent) => isMeant(consent, meant));
  };
  const before = await look().catch(() => undefined);
  await send(`${CONSENTS}?${parametersOf(subject, meant)}`, { method: 'DELETE' });
  const after = await look().catch((error: Error) => {
    throw reworded(
      error,
      `The OAuth server accepted the request, but the remaining consents could not be read: ${error.message}`,
    );
  });
  // Consents granted again in the meantime do not count.
  const left = before === undefined ? after : after.filter(({ id }) => before.some((consent) => consent.id === id));
  if (left.length > 0)
    throw new Error(
      `The OAuth server accepted the request, but ${left.length} ${left.length === 1 ? 'consent is' : 'consents are'} still there.`,
    );
  return before?.length;
}

const parametersOf = (subject: string, meant: ConsentsMeant): URLSearchParams => {
  if (meant === 'all') return new URLSearchParams({ subject, all: 'true' });
  return new URLSearchParams(
    // The OAuth server needs only the id; the subject is for the audit trail.
    'id' in meant ? { consent_request_id: meant.id, identity: subject } : { subject, client: meant.clientId },
  );
};

const isMeant = (consent: Consent, meant: ConsentsMeant): boolean =>
  meant === 'all' || ('id' in meant ? consent.id === meant.id : consent.clientId === meant.clientId);

/**
 * Ends a subject's login sessions at the OAuth server; consents and tokens stay. It reports success even if there were
 * none, and no endpoint lists them.
 */
export async function endLoginSessions(subject: string): Promise<void> {
  await send(`${oauthAdmin('/oauth2/auth/sessions/login')}?${new URLSearchParams({ subject })}`, { method: 'DELETE' });
}
