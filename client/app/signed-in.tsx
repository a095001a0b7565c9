import { Outlet } from '@tanstack/react-router';
import { Toasts } from '../ui/toasts.tsx';
import { SessionGate } from './session-gate.tsx';
import { Shell } from './shell.tsx';

export function SignedIn() {
  return (
    <SessionGate>
      <Shell>
        <Outlet />
      </Shell>
      <Toasts />
    </SessionGate>
  );
}
