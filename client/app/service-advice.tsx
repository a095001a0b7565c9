import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { RequestError } from '../api/request-error.ts';
import type { Failure } from '../ui/failure-panel.tsx';
import { lazyPage } from '../ui/lazy-part.tsx';

// Nothing of it is needed while nothing fails.
const UpstreamAdvice = lazyPage(() => import('./upstream-advice.tsx'), 'UpstreamAdvice');

/**
 * Of a failed call which service is behind it and what helps: the service's own answer may not say so (section 7). Its
 * words stand there until the advice has come, and where it does not come.
 */
export function ServiceAdvice({ error, children }: { error: Failure; children: ReactNode }): ReactNode {
  if (!(error instanceof RequestError) || error.service === undefined) return children;
  return (
    <CatchBoundary getResetKey={() => error.requestId ?? ''} errorComponent={() => children}>
      <Suspense fallback={children}>
        <UpstreamAdvice service={error.service} error={error}>
          {children}
        </UpstreamAdvice>
      </Suspense>
    </CatchBoundary>
  );
}
