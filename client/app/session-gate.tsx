import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect } from 'react';
import { RequestError } from '../api/request-error.ts';
import { sessionQuery } from '../api/session.ts';
import { sessionStands } from '../session/session-end.ts';
import { arrivedSignedIn, goToSignIn } from '../session/sign-in.ts';
import { FailurePanel } from '../ui/feedback/failure-panel.tsx';
import { Waiting } from '../ui/loading/waiting.tsx';
import { FrameSkeleton } from './skeletons.tsx';

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
