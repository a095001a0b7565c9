import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { counted } from '../../../format/counted.ts';
import { IconGitMerge } from '../overview-icons.ts';

/**
 * Another layout was stored in the meantime, most likely from the operator's own other tab: one has to be discarded.
 */
export function ConflictNotice(props: {
  theirs: number;
  mine: number;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const widgets = (count: number): string => counted(count, 'widget', 'widgets');
  return (
    <Alert
      role="alert"
      mb="md"
      variant="default"
      icon={<IconGitMerge size={24} />}
      title="The overview was changed elsewhere"
    >
      <Stack gap="xs">
        <Text size="sm">
          It was saved in another tab or browser after you opened it here, with {widgets(props.theirs)}; yours has{' '}
          {widgets(props.mine)}. Nothing is overwritten until you choose.
        </Text>
        <Group gap="xs">
          <Button ref={first} size="xs" variant="default" onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
          <Button size="xs" variant="default" onClick={props.onKeepMine}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
