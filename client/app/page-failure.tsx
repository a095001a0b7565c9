import { Button, Stack } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { PageHeading } from '../ui/page-heading.tsx';

/** In place of a page that broke. Parts of a page that were replaced by a newer release no longer load: a reload brings it. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const failure = error instanceof Error ? error : new Error(String(error));
  const outdated = /dynamically imported module|module script/i.test(failure.message);
  return (
    <Stack p="md">
      <PageHeading title={outdated ? 'The dashboard was updated' : 'This page broke'} />
      {outdated ? (
        <div>
          <Button onClick={() => location.reload()}>Load the new version</Button>
        </div>
      ) : (
        <FailurePanel error={failure} onRetry={reset} />
      )}
    </Stack>
  );
}
