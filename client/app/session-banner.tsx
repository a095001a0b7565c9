import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { CLOCK_PRECISION_MS } from '../api/polling.ts';
import { RequestError } from '../api/request.ts';
import { sessionQuery, signOut, useOwnSession } from '../api/session.ts';
import { timeOfDay } from '../lib/format-time.ts';
import {
  arrivedSignedIn,
  goToSignIn,
  hasSessionEnded,
  sessionEnded,
  sessionStands,
  useSessionEnded,
} from '../lib/sign-in.ts';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { useScrollRoom, useSingleFlight } from '../ui/hooks.tsx';
import { ListSkeleton, Waiting } from '../ui/loading.tsx';
import { SessionEndsNotice, SignedOutNotice } from '../ui/signed-out-notice.tsx';
import { toast } from '../ui/toasts.tsx';
import classes from './shell.module.css';

/**
 * Leaves with a full page load, so that nothing of the session stays in memory. If the server could not record the end
 * of the session (503), this browser's cookie is deleted all the same, and the next page says so.
 */
export function useSignOut(): { signOut: () => Promise<void>; pending: boolean } {
  const { run, pending } = useSingleFlight();
  return {
    pending,
    signOut: () =>
      run(async () => {
        try {
          await signOut();
          location.assign('/signed-out');
        } catch (error) {
          if (error instanceof RequestError && error.status === 401) location.assign('/signed-out');
          else if (error instanceof RequestError) location.assign('/signed-out?server=away');
          else toast('Not signed out: the service cannot be reached.');
        }
      }),
  };
}

/**
 * Header and page before the session is known. `index.html` contains the same markup, so that it is on screen before
 * any script has run; its style sheet comes with the page.
 */
export const FrameSkeleton = () => (
  <div className="frame-skeleton" aria-busy aria-label="Loading the dashboard" role="status">
    <div />
  </div>
);

export const PageSkeleton = () => <ListSkeleton heading label="Loading the page" rows={8} />;

/** How long before its end a session may be renewed at leisure. */
const NOTICE_MS = 300_000;

/** Offers to sign in when the session has ended, or soon will; the page and what is typed into it stay. */
export function SessionBanner() {
  const ended = useSessionEnded();
  const { expiry } = useOwnSession();
  const queryClient = useQueryClient();
  const [now, setNow] = useState(Date.now);
  // By this browser's clock.
  const end = expiry === undefined ? Number.POSITIVE_INFINITY : expiry.at - expiry.clockAheadMs;
  const isNear = now >= end - NOTICE_MS;

  // The operator may have signed in again in another tab: asked when it matters, and when they come back here.
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (hasSessionEnded() || Date.now() >= end - NOTICE_MS) await readSessionAgain(queryClient);
      setNow(Date.now());
    };
    const onShown = (): void => {
      if (document.visibilityState === 'visible') void look();
    };
    const next = [end - NOTICE_MS, end + CLOCK_PRECISION_MS].find((at) => at > now);
    const timer =
      next === undefined || next === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => void look(), next - Date.now());
    addEventListener('focus', onShown);
    document.addEventListener('visibilitychange', onShown);
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', onShown);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, [end, now, queryClient]);

  if (ended) return <Banner notice={<SignedOutNotice />} />;
  if (expiry === undefined || !isNear) return null;
  const at = timeOfDay(new Date(expiry.at), now + expiry.clockAheadMs);
  return <Banner notice={<SessionEndsNotice at={at} />} />;
}

async function readSessionAgain(queryClient: QueryClient): Promise<void> {
  const hadEnded = hasSessionEnded();
  const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.identityId;
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch((error) => {
    if (error instanceof RequestError && error.status === 401) sessionEnded();
  });
  if (!session) return;
  // Another operator's session must not continue this operator's page.
  if (session.user.identityId !== before) location.reload();
  if (!hadEnded) return;
  sessionStands();
  await queryClient.refetchQueries({ predicate: (query) => query.state.status === 'error' });
}

function Banner({ notice }: { notice: ReactNode }) {
  const banner = useRef<HTMLDivElement>(null);
  useScrollRoom(banner, 'Top');
  return (
    <div ref={banner} className={classes.banner} data-unprinted>
      {notice}
    </div>
  );
}

const leaveUnseen = (): void => goToSignIn(undefined, 'replace');

/**
 * Renders its children for a signed-in operator; redirects others to the provider (docs/api.md#sign-in-and-session).
 */
export function SessionGate({ children, leave = leaveUnseen }: { children: ReactNode; leave?: () => void }) {
  const { data, error, refetch } = useQuery(sessionQuery);
  const refused = data === undefined && error instanceof RequestError && error.status === 401;

  useEffect(() => {
    if (refused) leave();
  }, [refused, leave]);

  useEffect(() => {
    if (data === undefined) return;
    arrivedSignedIn(data.user.identityId);
    sessionStands();
  }, [data]);

  // Restored from the back/forward cache, a page that had been left for sign-in would wait forever.
  useEffect(() => {
    const onShow = (event: PageTransitionEvent): void => {
      if (event.persisted && data === undefined) location.reload();
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, [data]);

  // The shell and its page are expensive: render them in slices while the skeleton is shown.
  const shown = useDeferredValue(data !== undefined, false);
  if (shown) return children;
  if (data === undefined && error !== null && !refused) {
    return (
      <main style={{ maxWidth: '40rem', margin: '4rem auto', padding: '0 1rem' }}>
        <FailurePanel error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  return refused ? <Waiting text="Taking you to sign-in…" /> : <FrameSkeleton />;
}
