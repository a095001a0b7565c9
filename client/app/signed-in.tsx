import { Outlet } from '@tanstack/react-router';
import { FailureAdvice } from '../ui/feedback/failure-advice.ts';
import { Toasts } from '../ui/feedback/toasts.tsx';
import { useAskAgainOnline } from './failure/ask-again-online.ts';
import { AdviceOnFailure } from './failure/service-advice.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

export function SignedIn() {
  useAskAgainOnline();
  return (
    <SessionGate>
      <FailureAdvice value={AdviceOnFailure}>
        <Shell>
          <Outlet />
        </Shell>
      </FailureAdvice>
      <Toasts />
    </SessionGate>
  );
}
