import type { QueryClient } from '@tanstack/react-query';
import { endLoginSessions, revokeConsents } from '../../../api/consents-end.ts';
import { identitySessionsQuery, revokeSessions } from '../../../api/identities-sessions.ts';
import { endDashboardSessions } from '../../../api/security.ts';
import { counted } from '../../../format/counted.ts';

/** One of the places where a person may be signed in. Each can be done again at any time. */
export interface SignOutStep {
  name: string;
  /** What it ends. */
  about: string;
  /** @returns what came of it, in words */
  run: () => Promise<string>;
}

/**
 * Every place that this dashboard can reach, in an order in which nothing that stands yet can bring back what has ended: a
 * session at the identity service brings a new login session, and that one new consents and tokens.
 */
export const signOutSteps = (queryClient: QueryClient, identityId: string): readonly SignOutStep[] => [
  {
    name: 'Sessions at the identity service',
    about: 'In every browser and application that the person signed in with.',
    run: async () => {
      const some = await revokeSessions(identityId);
      // Whatever else answers 404 at its address has said nothing of sessions.
      const { sessions: left } = await queryClient.fetchQuery({ ...identitySessionsQuery(identityId), staleTime: 0 });
      if (left.some(({ active }) => active))
        throw new Error('The identity service accepted the request, but some sessions are still there.');
      return some ? 'Ended.' : 'There were none.';
    },
  },
  {
    name: 'Login sessions at the OAuth server',
    about: 'The OAuth server then asks for a new sign-in before it lets the person into an application.',
    run: async () => {
      await endLoginSessions(identityId);
      return 'Ended, if there were any: the OAuth server does not say.';
    },
  },
  {
    name: 'Consents, with their tokens',
    about: 'Access and refresh tokens that applications hold end at once.',
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
