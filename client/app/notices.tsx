import { VisuallyHidden } from '@mantine/core';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CLOCK_PRECISION_MS } from '../api/polling.ts';
import { RequestError } from '../api/request.ts';
import { servicesQuery } from '../api/services.ts';
import { sessionQuery, useCan, useOwnSession } from '../api/session.ts';
import { clockTime } from '../lib/format-time.ts';
import { formatOutage } from '../lib/service-state.ts';
import { hasSessionEnded, sessionContinues, sessionEnded, useSessionEnded } from '../lib/sign-in.ts';
import { StatusDot } from '../ui/facts.tsx';
import { useNow, useScrollRoom } from '../ui/hooks.tsx';
import { TextLink } from '../ui/layout.tsx';
import { SessionNotice } from '../ui/signed-out-notice.tsx';
import classes from './shell.module.css';

/** Notices above every page: the session has ended or ends soon, a service is down. */
export function Notices() {
  const may = useCan();
  return (
    <>
      <SessionBanner />
      {may('identities.read') && <OutageLine />}
    </>
  );
}

/** How long before the session's end the notice appears: at most a fifth of a short session. */
const noticeMs = (minutes = 25): number => Math.min(300_000, minutes * 12_000);

/** Offers sign-in when the session has ended or is about to end. The page and unsaved input stay. */
function SessionBanner() {
  const ended = useSessionEnded();
  const { expiry } = useOwnSession();
  const queryClient = useQueryClient();
  const [now, setNow] = useState(Date.now);
  // By the browser's clock.
  const end = expiry === undefined ? Number.POSITIVE_INFINITY : expiry.at - expiry.clockAheadMs;
  const noticeAt = end - noticeMs(expiry?.minutes);
  const isNear = now >= noticeAt;

  // The operator may have signed in again in another tab: check near the end, and when this tab becomes visible.
  useEffect(() => {
    const check = async (): Promise<void> => {
      if (hasSessionEnded() || Date.now() >= noticeAt) await refreshSession(queryClient);
      setNow(Date.now());
    };
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') void check();
    };
    const next = [noticeAt, end + CLOCK_PRECISION_MS].find((at) => at > now && Number.isFinite(at));
    const timer = next && setTimeout(() => void check(), next - Date.now());
    addEventListener('focus', onVisible);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', onVisible);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [end, noticeAt, now, queryClient]);

  if (ended) return <Banner notice={<SessionNotice />} />;
  if (expiry === undefined || !isNear) return null;
  return <Banner notice={<SessionNotice endsAt={clockTime(expiry.at, now + expiry.clockAheadMs)} />} />;
}

async function refreshSession(queryClient: QueryClient): Promise<void> {
  const hadEnded = hasSessionEnded();
  const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.identityId;
  const session = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch((error) => {
    if (error instanceof RequestError && error.status === 401) sessionEnded();
  });
  if (!session) return;
  // Somebody else has signed in: the page shows data of the previous operator.
  if (session.user.identityId !== before) location.reload();
  if (!hadEnded) return;
  sessionContinues();
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

const EVERY_MS = 30_000;

/** While a service is down: its name, since when, and the consequences. */
function OutageLine() {
  const ended = useSessionEnded();
  const { data } = useQuery({ ...servicesQuery(EVERY_MS), enabled: !ended });
  const now = useNow() + (data?.clockAheadMs ?? 0);
  const [wasDown, setWasDown] = useState(false);
  const outage = formatOutage(data?.services ?? [], now);
  if (outage !== undefined && !wasDown) setWasDown(true);
  return (
    <>
      {/* Announced when an outage starts and ends, not every minute. */}
      <VisuallyHidden role="status">
        {outage !== undefined ? `${outage.what}. ${outage.consequences}` : wasDown && 'No service is down any more.'}
      </VisuallyHidden>
      {outage !== undefined && (
        <section className={classes.line} aria-label="Outage" data-unprinted>
          <StatusDot status="bad">
            <strong>
              {outage.what}
              {outage.lasting !== undefined && `, ${outage.lasting}`}.
            </strong>{' '}
            {outage.consequences}{' '}
            <TextLink size="sm" underline="always" to="/system">
              See the System page
            </TextLink>
          </StatusDot>
        </section>
      )}
    </>
  );
}
