import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { IconClockPlus } from '../../../resource/icons.ts';
import { type Failure, FailureNote } from '../../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';
import { sessionsChanged } from '../session-changes.ts';
import { notExtended } from '../session-outcomes.ts';
import { extendSession } from '../session-queries.ts';

/** Extends without confirmation, since nothing is lost, and shows the result below the button. */
export function ExtendButton({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [outcome, setOutcome] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const extend = () =>
    run(async () => {
      setOutcome(undefined);
      setFailure(undefined);
      try {
        setOutcome(notExtended(await extendSession(id)) ?? 'Extended.');
        await sessionsChanged(queryClient, [{ id, identityId: undefined }]);
      } catch (error) {
        setFailure(error as Error);
      }
    });
  return (
    <Stack gap={4} align="flex-end" maw="22rem">
      <Button leftSection={<IconClockPlus />} loading={pending} onClick={() => void extend()}>
        Extend
      </Button>
      <Text size="xs" c="dimmed" ta="end" role="status">
        {outcome}
      </Text>
      <FailureNote error={failure} />
    </Stack>
  );
}
