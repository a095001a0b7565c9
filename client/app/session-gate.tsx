import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { PROVIDER_SIGN_OUT_HEADER, SIGNED_OUT_PATH } from '../../shared/session.ts';
import { RequestError, request } from '../api/request.ts';
import { sessionQuery, signOut } from '../api/session.ts';
import { usesOpenId } from '../deployment.ts';
import { endRecents, startRecents } from '../lib/recents.ts';
import { arrivedSignedIn, compareOperators, goToSignIn, sessionContinues } from '../lib/sign-in.ts';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { useSingleFlight } from '../ui/hooks.tsx';
import { Waiting } from '../ui/loading.tsx';
import { toast } from '../ui/toasts.tsx';

const statusOf = (error: unknown) => (error instanceof RequestError ? error.status : undefined);
const statusOfSession = (): Promise<number | undefined> => request('/api/auth/session').then(() => 200, statusOf);

/** Opens the signed-out page. Providers redirect to the plain address, after they have ended their own session. */
function openSignedOut(...search: string[]): void {
  if (usesOpenId()) search.push('provider=continues');
  location.assign([SIGNED_OUT_PATH, search.join('&')].filter(Boolean).join('?'));
}

/**
 * Signs out with a full page load, so that no session data stays in memory. If the server cannot record the sign-out
 * (503), it still deletes this browser's cookie, and the next page says so. If the response names an address, the browser
 * ends the provider's session there.
 */
export function useSignOut(): { signOut: () => Promise<void>; pending: boolean } {
  const { run, pending } = useSingleFlight();
  return {
    pending,
    signOut: () =>
      run(async () => {
        endRecents();
        try {
          const provider = (await signOut()).headers.get(PROVIDER_SIGN_OUT_HEADER) ?? '';
          if (/^https?:\/\//.test(provider)) location.assign(provider);
          else openSignedOut();
        } catch (error) {
          const status = statusOf(error);
          if (status === 401) openSignedOut();
          // The sign-out may not be stored. A proxy's own 503, or that of a starting service, does not remove the cookie.
          else if (status === 503 && (await statusOfSession()) === 401) openSignedOut('server=away');
          else if (status !== undefined) toast('Sign-out failed. Try again.');
          else toast('Sign-out failed: the service cannot be reached. Try again.');
        }
      }),
  };
}

/**
 * Placeholder for header and page while the session loads. `index.html` contains the same markup, so that it appears
 * before any script runs.
 */
export const FrameSkeleton = () => (
  <div className="frame-skeleton" aria-busy aria-label="Loading the dashboard" role="status">
    <div className="page-skeleton" />
  </div>
);

export const PageSkeleton = () => (
  <div className="page-skeleton" role="status" aria-busy aria-label="Loading the page" />
);

const redirectToSignIn = (): void => goToSignIn(undefined, 'replace');

/**
 * Renders its children for a signed-in operator; redirects others to the provider (docs/api.md#sign-in-and-session).
 */
export function SessionGate({ children, leave = redirectToSignIn }: { children: ReactNode; leave?: () => void }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  const refused = data === undefined && error instanceof RequestError && error.status === 401;

  useEffect(() => {
    if (refused) leave();
  }, [refused, leave]);

  useEffect(() => {
    if (data === undefined) return;
    arrivedSignedIn(data.user.identityId);
    startRecents(data.user.identityId);
    sessionContinues();
    return compareOperators(data.user.identityId);
  }, [data]);

  // A page that left for sign-in and returns from the back/forward cache would wait forever.
  useEffect(() => {
    const onShow = (event: PageTransitionEvent): void => {
      if (event.persisted && data === undefined) location.reload();
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, [data]);

  if (data !== undefined) return children;
  if (error !== null && !refused) {
    return (
      <main style={{ maxWidth: '40rem', margin: '4rem auto', padding: '0 1rem' }}>
        <FailurePanel error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  return refused ? <Waiting text="Redirecting to sign-in…" /> : <FrameSkeleton />;
}
