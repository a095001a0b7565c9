import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './selection-bar.module.css';

/** At the foot of the screen while rows are chosen, so that no row moves while the operator is choosing. */
export function SelectionBar(props: { count: number; onClear: () => void; children: ReactNode }) {
  if (props.count === 0) return null;
  return (
    <Group className={classes.bar} gap="sm">
      <Text size="sm" fw={500} role="status">
        {props.count} selected on this page
      </Text>
      {props.children}
      <Button size="xs" variant="subtle" onClick={props.onClear}>
        Clear
      </Button>
    </Group>
  );
}
