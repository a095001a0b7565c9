import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import { endLoginSessions, revokeConsents } from '../../api/consents.ts';
import type { Identity } from '../../api/identities.ts';
import { endDashboardSessions } from '../../api/security.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { identitySessionsQuery, revokeSessions } from '../../api/sessions.ts';
import { hasApplications } from '../../deployment.ts';
import { counted } from '../../lib/format-count.ts';
import { shortName } from '../../lib/identity-name.ts';
import { CONSENTS_STAY_REVOKED, ConfirmDialog, PartlyDone, SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import type { Failure } from '../../ui/failure-panel.tsx';
import { toast } from '../../ui/toasts.tsx';

/**
 * Ends every kind of session that the operator may end. If one kind fails, the others still end, and a retry repeats
 * only what failed. A refusal concerns the person, so it ends the action.
 */
export function SignOutEverywhere({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  const may = useCan();
  const self = useOperator().identityId === identity.id && may('operators.write');
  const name = shortName(identity);
  const parts = PARTS.filter(({ needs, ofApplications }) => may(needs) && (!ofApplications || hasApplications()));
  const done = useRef(new Map<number, string>());

  const act = async (reason: string): Promise<void> => {
    const failed: { part: string; error: Failure }[] = [];
    for (const [index, { failure, run }] of parts.entries()) {
      if (done.current.has(index)) continue;
      await run(identity.id, reason, queryClient).then(
        (result) => done.current.set(index, result),
        (error: Failure) => failed.push({ part: failure, error }),
      );
      if (failed.at(-1)?.error.code !== 'forbidden') continue;
      if (done.current.size === 0) throw failed.at(-1)?.error;
      break;
    }
    if (failed.length > 0) throw new PartlyDone(`${name} may still be signed in`, [...done.current.values()], failed);
    toast(`Signed out ${name} everywhere`);
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Sign out ${name} everywhere?`}
      warning={self ? 'This is you: your session in this dashboard ends as well.' : undefined}
      consequence={`The person has to sign in again in every browser${hasApplications() ? ', and applications lose their tokens' : ''}.`}
      parts={parts.map(({ what }) => what)}
      details={[
        ...(hasApplications() ? DETAILS_OF_APPLICATIONS : []),
        SESSIONS_STAY_ENDED,
        'The person can sign in again. To keep them out, deactivate the identity as well.',
      ]}
      action="Sign out everywhere"
      act={act}
      onClose={onClose}
    />
  );
}

const DETAILS_OF_APPLICATIONS = [
  'This includes the OAuth server only if the OAuth subject is the identity’s ID. If your login page uses another subject, revoke its consents on the Consents page.',
  'Applications with sessions of their own are not notified: they may continue until they next use a token.',
  CONSENTS_STAY_REVOKED,
];

/** A kind of session to end. Safe to repeat. */
interface Part {
  what: string;
  needs: Capability;
  /** Done only where there is an OAuth server. */
  ofApplications?: true;
  failure: string;
  run: (identityId: string, reason: string, queryClient: QueryClient) => Promise<string>;
}

/**
 * All kinds of sessions that the dashboard can end, ordered so that no remaining session can recreate an ended session:
 * a Kratos session leads to new Hydra login sessions, and a login session leads to new consents and tokens.
 */
const PARTS: readonly Part[] = [
  {
    what: 'All sessions at the identity service end.',
    needs: 'sessions.end',
    failure: 'Sessions at the identity service could not be ended',
    run: async (identityId, reason, queryClient) => {
      const found = await revokeSessions(identityId, reason);
      // A 404 may come from a proxy or another service, so check.
      const left = await queryClient.fetchInfiniteQuery({ ...identitySessionsQuery(identityId), staleTime: 0 });
      if (left.pages.some(({ rows }) => rows.some(({ active }) => active)))
        throw new Error('The identity service accepted the request, but some sessions are still active.');
      return found ? 'Sessions at the identity service ended' : 'There were no sessions at the identity service';
    },
  },
  {
    what: 'Login sessions at the OAuth server end.',
    needs: 'sessions.end',
    ofApplications: true,
    failure: 'Login sessions at the OAuth server could not be ended',
    run: async (identityId, reason) => {
      await endLoginSessions(identityId, reason);
      // The OAuth server does not say whether there were any.
      return 'Login sessions at the OAuth server ended, if there were any';
    },
  },
  {
    what: 'Consents are revoked, and the access and refresh tokens of applications end at once.',
    needs: 'consents.revoke',
    ofApplications: true,
    failure: 'Consents and their tokens could not be revoked',
    run: async (identityId, reason, queryClient) => {
      const count = await revokeConsents(queryClient, identityId, 'all', reason);
      if (count === 0) return 'There were no consents';
      return `${count === undefined ? 'Consents' : counted(count, 'consent', 'consents')} revoked, with their tokens`;
    },
  },
  {
    what: 'Sessions in this dashboard end, if the person is an operator.',
    needs: 'operators.write',
    failure: 'Sessions in this dashboard could not be ended',
    run: async (identityId, reason) => {
      await endDashboardSessions(identityId, reason);
      return 'Sessions in this dashboard ended, if there were any';
    },
  },
];
