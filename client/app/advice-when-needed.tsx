import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { RequestError } from '../api/request-error.ts';
import type { Failure } from '../ui/failure-panel.tsx';
import { lazyPage } from '../ui/lazy-part.tsx';

// Nothing of it is needed while nothing fails.
const ServiceAdvice = lazyPage(() => import('./service-advice.tsx'), 'ServiceAdvice');

/** The server's own words stand there until the advice has come, and where it does not come. */
export function AdviceWhenNeeded({ error, children }: { error: Failure; children: ReactNode }): ReactNode {
  if (!(error instanceof RequestError) || error.service === undefined) return children;
  return (
    <CatchBoundary getResetKey={() => error.requestId ?? ''} errorComponent={() => children}>
      <Suspense fallback={children}>
        <ServiceAdvice error={error}>{children}</ServiceAdvice>
      </Suspense>
    </CatchBoundary>
  );
}
