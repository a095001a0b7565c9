import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import type { BulkFound, BulkMatching, BulkSubject } from './bulk-act.ts';

interface Found<T> {
  data: BulkFound<T> | undefined;
  error: Failure | null;
  refetch: () => unknown;
}

/** All that match, asked once for each dialog: what is confirmed must not change under the operator's hands. */
export const useFound = <T,>(matching: BulkMatching<T> | undefined): Found<T> =>
  useQuery({
    queryKey: ['all that match', useId()],
    queryFn: ({ signal }) => (matching as BulkMatching<T>).find(signal),
    enabled: matching !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

/** What a dialog shows until it knows all that match, or if that is nobody. */
export function BulkFinding<T>(props: {
  subject: BulkSubject<T>;
  found: Found<T>;
  spared: string | undefined;
  onClose: () => void;
}) {
  const { spared } = props;
  const { error, data, refetch } = props.found;
  return (
    <Stack gap="md">
      {error !== null && <FailurePanel title="Nothing was done" error={error} onRetry={() => void refetch()} />}
      {spared !== undefined && <Text role="status">{spared}</Text>}
      {data !== undefined && spared === undefined && (
        <Text role="status">No {props.subject.name.many} match any more.</Text>
      )}
      {data === undefined && error === null && spared === undefined && (
        <div role="status" aria-label={`Finding the ${props.subject.name.many} that match`}>
          <Skeleton h={120} />
        </div>
      )}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
