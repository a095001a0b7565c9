import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CLOCK_PRECISION_MS } from '../api/polled.ts';
import { RequestError } from '../api/request-error.ts';
import { sessionQuery, useOwnSession } from '../api/session.ts';
import { timeOfDay } from '../format/english-time.ts';
import { hasSessionEnded, sessionEnded, sessionStands, useSessionEnded } from '../session/session-end.ts';
import { SessionEndsNotice, SignedOutNotice } from '../ui/feedback/signed-out-notice.tsx';
import { useScrollRoom } from '../ui/hooks/use-scroll-room.ts';
import classes from './session-banner.module.css';

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
