import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { type JsonObject, membersOf, text, texts } from '../../shared/json.ts';
import { CURSOR_PAGES, type CursorPage, readUpstreamPage } from './cursor-page.ts';
import { oauthAdmin, reworded, send } from './request.ts';

/** The OAuth server's maximum page size. Consents come in no particular order. */
const PAGE_SIZE = 500;
const CONSENTS = oauthAdmin('/oauth2/auth/sessions/consent');

/** A subject's consents; an unknown subject has none. */
export const consentsQuery = (subject: string) =>
  infiniteQueryOptions({
    queryKey: ['consents', subject],
    queryFn: async ({ pageParam, signal }): Promise<CursorPage<Consent>> => {
      const { rows, next } = await readUpstreamPage(
        CONSENTS,
        { subject, page_size: PAGE_SIZE, page_token: pageParam },
        ({ consent_request_id }) => typeof consent_request_id === 'string',
        ['OAuth server', 'a list of consents'],
        signal,
      );
      return { rows: rows.map(asConsent), next };
    },
    ...CURSOR_PAGES,
  });

/** The access that a person has granted to a client, without the claims that the response also contains. */
function asConsent(item: JsonObject) {
  const request = membersOf(item.consent_request);
  const client = membersOf(request.client);
  return {
    id: String(item.consent_request_id),
    clientId: text(client.client_id),
    clientName: text(client.client_name),
    scopes: texts(item.grant_scope),
    audiences: texts(item.grant_access_token_audience),
    at: text(item.handled_at),
    /** For how many seconds consent is not requested again: `Infinity` until revoked, 0 if not remembered. */
    rememberedFor: item.remember === true ? Number(item.remember_for) || Number.POSITIVE_INFINITY : 0,
    /** The person's sign-in methods, as the login page reported them to the OAuth server. */
    methods: texts(request.amr),
  };
}

export type Consent = ReturnType<typeof asConsent>;

export type ConsentSelection = { id: string } | { clientId: string } | 'all';

/**
 * Revokes consents, and with them the tokens issued under them. The OAuth server reports success even if it revoked
 * nothing, so this reads the list before and after. Revokes even if the first reading fails.
 * @returns how many selected consents there were in the loaded pages; undefined if the first reading failed
 * @throws also if some consents are still there afterwards, or if that cannot be checked
 */
export async function revokeConsents(
  queryClient: QueryClient,
  subject: string,
  selection: ConsentSelection,
  reason?: string,
): Promise<number | undefined> {
  const read = async (): Promise<Consent[]> => {
    const query = consentsQuery(subject);
    // A request in flight may return the consents from before the change.
    await queryClient.cancelQueries({ queryKey: query.queryKey });
    const { pages } = await queryClient.fetchInfiniteQuery({ ...query, staleTime: 0 });
    return pages.flatMap(({ rows }) => rows).filter((consent) => isSelected(consent, selection));
  };
  const before = await read().catch(() => undefined);
  await send(`${CONSENTS}?${new URLSearchParams(parametersOf(subject, selection))}`, { method: 'DELETE', reason });
  const after = await read().catch((error: Error) => {
    throw reworded(
      error,
      `The OAuth server accepted the request, but the remaining consents could not be read: ${error.message}`,
    );
  });
  // Consents that were granted again in the meantime do not count.
  const remaining =
    before === undefined ? after : after.filter(({ id }) => before.some((consent) => consent.id === id));
  if (remaining.length > 0)
    throw new Error(
      `The OAuth server accepted the request, but ${remaining.length} ${remaining.length === 1 ? 'consent is' : 'consents are'} still there.`,
    );
  return before?.length;
}

function parametersOf(subject: string, selection: ConsentSelection): Record<string, string> {
  if (selection === 'all') return { subject, all: 'true' };
  if ('clientId' in selection) return { subject, client: selection.clientId };
  // The OAuth server needs only the id; the subject is for the audit trail.
  return { consent_request_id: selection.id, identity: subject };
}

const isSelected = (consent: Consent, selection: ConsentSelection): boolean =>
  selection === 'all' || ('id' in selection ? consent.id === selection.id : consent.clientId === selection.clientId);

/**
 * Ends a subject's login sessions at the OAuth server, but not its consents and tokens. The server reports success even
 * if there were none, and has no endpoint that lists them.
 */
export async function endLoginSessions(subject: string, reason?: string): Promise<void> {
  const path = `${oauthAdmin('/oauth2/auth/sessions/login')}?${new URLSearchParams({ subject })}`;
  await send(path, { method: 'DELETE', reason });
}
