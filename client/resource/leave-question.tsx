import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { LeaveDialog, type Running } from './leave-dialog.tsx';

/** Asks before a running task is left: with a dialog within the app, by the browser for a reload or closed tab. */
export function useLeaveQuestion(running: boolean, what: Running): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: () => running,
    enableBeforeUnload: () => running,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return <LeaveDialog what={what} onStay={blocker.reset} onLeave={blocker.proceed} />;
}
