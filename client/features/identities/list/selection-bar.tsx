import { Button, Group, Text } from '@mantine/core';
import { BulkActions } from '../bulk/bulk-actions.tsx';
import classes from './identities-table.module.css';
import type { Selection } from './use-selection.ts';

/** At the foot of the screen while rows are chosen, so that no row moves under the hand that chooses. */
export function SelectionBar({ selection }: { selection: Selection }) {
  const count = selection.identities.length;
  if (count === 0) return null;
  return (
    <Group className={classes.bar} gap="sm">
      <Text size="sm" fw={500} role="status">
        {count} selected on this page
      </Text>
      <BulkActions identities={selection.identities} onDone={selection.choose} />
      <Button size="xs" variant="subtle" onClick={() => selection.choose([])}>
        Clear
      </Button>
    </Group>
  );
}
