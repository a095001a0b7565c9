import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { forgetVersions, settingPastQuery } from '../../../api/setting-history.ts';
import { counted } from '../../../format/counted.ts';
import { type Failure, FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { FocusOnChange } from '../../../ui/hooks/focus-on-change.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';

/** Removes every earlier version, after a second thought in the same place: the editor is a dialog already. */
export function ForgetVersions({ settingKey, count }: { settingKey: string; count: number }) {
  const queryClient = useQueryClient();
  const { run, pending } = useSingleFlight();
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const forget = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await forgetVersions(settingKey);
      toast(`The earlier versions of ${settingKey} are removed`);
      await queryClient.invalidateQueries({ queryKey: settingPastQuery(settingKey).queryKey });
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <FocusOnChange of={asking ? 'question' : 'offer'}>
      {asking ? (
        <Stack gap="xs" role="group" aria-label="Remove earlier versions">
          <Text size="sm">
            They cannot be brought back. The setting stays as it is, and the audit trail says who removed them.
          </Text>
          {failure !== undefined && <FailurePanel error={failure} title="Not removed" />}
          <Group gap="xs">
            <Button size="xs" variant="default" disabled={pending} data-autofocus onClick={() => setAsking(false)}>
              Keep them
            </Button>
            <Button size="xs" color="red.9" loading={pending} onClick={() => void run(forget)}>
              Remove {counted(count, 'version', 'versions')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Button size="compact-sm" variant="subtle" ml={-8} data-autofocus onClick={() => setAsking(true)}>
          Remove earlier versions
        </Button>
      )}
    </FocusOnChange>
  );
}
