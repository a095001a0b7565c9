import { Outlet } from '@tanstack/react-router';
import { FailureAdvice } from '../ui/failure-advice.ts';
import { Toasts } from '../ui/toasts.tsx';
import { AdviceWhenNeeded } from './advice-when-needed.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

export function SignedIn() {
  return (
    <SessionGate>
      <FailureAdvice value={AdviceWhenNeeded}>
        <Shell>
          <Outlet />
        </Shell>
      </FailureAdvice>
      <Toasts />
    </SessionGate>
  );
}
