import { Alert, Group, Stack } from '@mantine/core';
import { IconClockX } from '../icons.ts';
import { StartAgain } from './start-again.tsx';

/** The service no longer accepts the cursor of a page. */
export function OutdatedNotice({ service, startAgain }: { service: string; startAgain: () => void }) {
  return (
    <Alert role="alert" variant="default" icon={<IconClockX size={24} />} title="This page has expired">
      <Stack gap="xs">
        {service} no longer knows where that page begins. The last page that loaded is shown below.
        <Group>
          <StartAgain onClick={startAgain} />
        </Group>
      </Stack>
    </Alert>
  );
}
