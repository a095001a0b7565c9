import { type AsyncRouteComponent, CatchBoundary } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, Suspense } from 'react';
import { RequestError } from '../../api/request-error.ts';
import { RetryOnline } from '../../ui/feedback/missing-part-notice.tsx';
import { lazyPage } from '../../ui/loading/lazy-part.tsx';
import type { ServiceAdvice as Advice } from './service-advice.tsx';

// Most visits see no failure.
const ServiceAdvice = lazyPage(() => import('./service-advice.tsx'), 'ServiceAdvice') as unknown as AsyncRouteComponent<
  ComponentProps<typeof Advice>
>;

/** Advice on the failed service, if one is involved; `children` until that has loaded, or if it does not load. */
export function AdviceOnFailure({ error, children }: { error: Error; children: ReactNode }): ReactNode {
  if (!(error instanceof RequestError) || error.service === undefined) return children;
  return (
    <CatchBoundary
      getResetKey={() => error.message}
      errorComponent={({ error: missing, reset }) => (
        <>
          {children}
          <RetryOnline error={missing} onRetry={reset} />
        </>
      )}
    >
      <Suspense fallback={children}>
        <ServiceAdvice service={error.service} error={error}>
          {children}
        </ServiceAdvice>
      </Suspense>
    </CatchBoundary>
  );
}
