import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../api/session.ts';
import { sessionStands, useSessionEnded } from '../session/session-end.ts';
import { SignedOutNotice } from '../ui/feedback/signed-out-notice.tsx';
import { useScrollRoom } from '../ui/hooks/use-scroll-room.ts';
import classes from './session-ended-banner.module.css';

/** Offers to sign in when the session has ended; the page and what is typed into it stay. */
export function SessionEndedBanner() {
  const ended = useSessionEnded();
  const queryClient = useQueryClient();

  // The operator may have signed in again in another tab: check when they come back here, and only while signed out.
  useEffect(() => {
    if (!ended) return;
    const ask = async (): Promise<void> => {
      const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.identityId;
      const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
      if (now === undefined) return;
      // Another operator's session must not continue this operator's page.
      if (now.user.identityId !== before) location.reload();
      sessionStands();
      await queryClient.refetchQueries({ predicate: (query) => query.state.status === 'error' });
    };
    const onFocus = (): void => void ask();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  }, [ended, queryClient]);

  return ended && <Banner />;
}

function Banner() {
  const banner = useRef<HTMLDivElement>(null);
  useScrollRoom(banner, 'Top');
  return (
    <div ref={banner} className={classes.banner}>
      <SignedOutNotice />
    </div>
  );
}
