import { Stack } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { MissingPart } from '../../ui/feedback/missing-part.ts';
import { MissingPartPanel } from '../../ui/feedback/missing-part-notice.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';

/**
 * In place of a page that broke, or whose part of the app did not arrive. Its type is written down, for the router's
 * own type is made of it.
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
        <PageHeading title="This page is not here yet" />
        <MissingPartPanel error={failure} onRetry={again} />
      </Stack>
    );
  }
  return (
    <Stack>
      <PageHeading title="This page broke" />
      <FailurePanel error={failure instanceof Error ? failure : new Error(String(failure))} onRetry={again} />
    </Stack>
  );
}
