import type { QueryClient } from '@tanstack/react-query';
import { endLoginSessions, revokeConsents } from '../../../api/consents-end.ts';
import { identitySessionsQuery, revokeSessions } from '../../../api/identities-sessions.ts';
import { endDashboardSessions } from '../../../api/security.ts';
import { counted } from '../../../format/counted.ts';

/** Ends one kind of session. Can be repeated at any time. */
export interface SignOutStep {
  name: string;
  /** What it ends. */
  about: string;
  /** @returns the result as a sentence */
  run: () => Promise<string>;
}

/**
 * Every kind of session that this dashboard can end, ordered so that none can recreate one already ended: a session at
 * the identity service leads to a new login session, and that one to new consents and tokens.
 */
export const signOutSteps = (queryClient: QueryClient, identityId: string): readonly SignOutStep[] => [
  {
    name: 'Sessions at the identity service',
    about: 'In every browser and application where the person signed in.',
    run: async () => {
      const some = await revokeSessions(identityId);
      // A 404 may come from something else at that address, so check.
      const left = await queryClient.fetchInfiniteQuery({ ...identitySessionsQuery(identityId), staleTime: 0 });
      if (left.pages.some(({ rows }) => rows.some(({ active }) => active)))
        throw new Error('The identity service accepted the request, but some sessions are still active.');
      return some ? 'Ended.' : 'There were none.';
    },
  },
  {
    name: 'Login sessions at the OAuth server',
    about: 'The person must then sign in again before the OAuth server admits them to an application.',
    run: async () => {
      await endLoginSessions(identityId);
      return 'Ended, if there were any; the OAuth server does not say.';
    },
  },
  {
    name: 'Consents, with their tokens',
    about: 'Access and refresh tokens that applications have end at once.',
    run: async () => {
      const count = await revokeConsents(queryClient, identityId, 'all');
      if (count === 0) return 'There were none.';
      return count === undefined
        ? 'Revoked, and their tokens have ended.'
        : `${counted(count, 'consent is', 'consents are')} revoked, and their tokens have ended.`;
    },
  },
  {
    name: 'Sessions in this dashboard',
    about: 'If the person is an operator.',
    run: async () => {
      await endDashboardSessions(identityId);
      return 'Ended, if there were any.';
    },
  },
];
