import type { QueryClient } from '@tanstack/react-query';
import { CONSENTS, type Consent, consentsQuery } from './consents.ts';
import { oauthAdmin } from './oauth-prefix.ts';
import { send } from './request.ts';
import { reworded } from './request-error.ts';

/** Which of a subject's consents: a single one, those to one client, or every one. */
export type ConsentsMeant = { id: string } | { clientId: string } | 'all';

/**
 * Revokes consents, and with each of them the tokens issued under it. The OAuth server answers with success whatever
 * there was and whatever it did, so the list is looked at before and after; a list that cannot be seen keeps nobody from
 * revoking.
 * @returns how many there were, as far as the pages that are loaded tell; undefined where none could be seen before
 * @throws also when some are still there afterwards, or when that cannot be seen
 */
export async function revokeConsents(
  queryClient: QueryClient,
  subject: string,
  meant: ConsentsMeant,
): Promise<number | undefined> {
  const look = async (): Promise<Consent[]> => {
    const query = consentsQuery(subject);
    // One that is under way may have been answered before the act.
    await queryClient.cancelQueries({ queryKey: query.queryKey });
    const { pages } = await queryClient.fetchInfiniteQuery({ ...query, staleTime: 0 });
    return pages.flatMap(({ rows }) => rows).filter((consent) => isMeant(consent, meant));
  };
  const before = await look().catch(() => undefined);
  await send(`${CONSENTS}?${parametersOf(subject, meant)}`, { method: 'DELETE' });
  const after = await look().catch((error: Error) => {
    throw reworded(
      error,
      `The OAuth server accepted the request, but what is left could not be seen: ${error.message}`,
    );
  });
  // What was granted again in the meantime is not what was to be revoked.
  const left = before === undefined ? after : after.filter(({ id }) => before.some((consent) => consent.id === id));
  if (left.length > 0)
    throw new Error(
      `The OAuth server accepted the request, but ${left.length} of them ${left.length === 1 ? 'is' : 'are'} still there.`,
    );
  return before?.length;
}

const parametersOf = (subject: string, meant: ConsentsMeant): URLSearchParams => {
  if (meant === 'all') return new URLSearchParams({ subject, all: 'true' });
  return new URLSearchParams('id' in meant ? { consent_request_id: meant.id } : { subject, client: meant.clientId });
};

const isMeant = (consent: Consent, meant: ConsentsMeant): boolean =>
  meant === 'all' || ('id' in meant ? consent.id === meant.id : consent.clientId === meant.clientId);

/**
 * Ends a subject's sign-ins at the OAuth server; consents and tokens stay. It is a success whether there were any, and
 * nothing lists them.
 */
export async function endLoginSessions(subject: string): Promise<void> {
  await send(`${oauthAdmin('/oauth2/auth/sessions/login')}?${new URLSearchParams({ subject })}`, { method: 'DELETE' });
}
