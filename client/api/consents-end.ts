import type { QueryClient } from '@tanstack/react-query';
import { CONSENTS, type Consent, consentsQuery } from './consents.ts';
import { send } from './request.ts';
import { reworded } from './request-error.ts';
import { oauthAdmin } from './upstream-api.ts';

/** Which consents of a subject: one, all for one client, or all. */
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
    // A read in flight may have been answered before the change.
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
    // The OAuth server takes the id alone; the other is for the audit trail.
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
