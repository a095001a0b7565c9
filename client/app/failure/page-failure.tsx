import { Stack } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { MissingPart } from '../../ui/feedback/missing-part.ts';
import { MissingPartPanel, RetryOnline } from '../../ui/feedback/missing-part-notice.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

/**
 * Shown instead of a page that crashed or whose chunk did not load. The explicit type breaks a cycle: the router's own
 * type is derived from this component.
 */
export function PageFailure({ error, reset }: ErrorComponentProps): ReactNode {
  const router = useRouter();
  const failure: unknown = error;
  const again = (): void => {
    reset();
    void router.invalidate();
  };
  if (failure instanceof MissingPart) {
    return (
      <Stack>
        <PageHeading title="This page could not be loaded" />
        <MissingPartPanel error={failure} onRetry={again} />
        <RetryOnline error={failure} onRetry={again} />
      </Stack>
    );
  }
  return (
    <Stack>
      <PageHeading title="This page failed" />
      <FailurePanel error={failure instanceof Error ? failure : new Error(String(failure))} onRetry={again} />
    </Stack>
  );
}
