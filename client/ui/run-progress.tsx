import { Group, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { digits } from '../lib/format-count.ts';
import { SmallButton } from './buttons.tsx';
import { Dimmed } from './layout.tsx';

/** Progress of a long run, with a button to cancel it. Without a total, the bar is indeterminate. */
export function RunProgress(props: {
  /** The operation, for the bar's accessible name: “Deleting”. */
  label: string;
  done: number;
  total: number | undefined;
  /** A note below the bar, such as the reason for a wait. */
  note?: string | undefined;
  onCancel: () => void;
}) {
  const { label, done, total, note } = props;
  const [isCancelled, setCancelled] = useState(false);
  const cancel = (): void => {
    setCancelled(true);
    props.onCancel();
  };
  // The run may find more items than the total.
  const percent = total === undefined ? undefined : total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
  const count = total === undefined ? `${digits(done)} so far` : `${digits(done)} of ${digits(total)}`;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {count}
        </Text>
      </Group>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent ?? 100}
          animated={percent === undefined}
          // An indeterminate bar has no value to announce.
          withAria={percent !== undefined}
          role="progressbar"
          aria-label={`${label}: ${count}`}
        />
      </Progress.Root>
      <Group justify="space-between" gap="xs" mih={30}>
        <Dimmed role="status">{isCancelled ? 'Stopping after the current request…' : note}</Dimmed>
        <SmallButton onClick={cancel} disabled={isCancelled}>
          Cancel
        </SmallButton>
      </Group>
    </Stack>
  );
}
