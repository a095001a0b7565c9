import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { digits } from '../../format/counted.ts';
import { StickyBar } from '../../ui/sticky-bar.tsx';
import classes from './selection-bar.module.css';
import type { Selection } from './use-selection.ts';

/**
 * At the bottom of the screen, so that no row moves while the operator is selecting.
 * @param total how many match what the list asks, if all of them can be selected; null if they are not counted
 */
export function SelectionBar<T>(props: {
  selection: Selection<T>;
  total?: number | null | undefined;
  children: ReactNode;
}) {
  const { selection, total } = props;
  const chosen = selection.rows.length;
  if (chosen === 0) return null;
  const all = total == null ? 'all that match' : `all ${digits(total)} that match`;
  return (
    <StickyBar className={classes.bar} gap="sm">
      <Group gap="xs">
        <Text size="sm" fw={500} role="status">
          {selection.all ? `${all.replace('a', 'A')} are selected` : `${digits(chosen)} selected on this page`}
        </Text>
        {total !== undefined && (selection.all || total === null || total > chosen) && (
          // One button for both, so that it keeps the focus.
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => (selection.all ? selection.choose(selection.chosen) : selection.chooseAll())}
          >
            {selection.all ? 'Select only this page' : `Select ${all}`}
          </Button>
        )}
        <Button size="compact-xs" variant="subtle" onClick={() => selection.choose([])}>
          Clear
        </Button>
      </Group>
      <Group gap="xs">{props.children}</Group>
    </StickyBar>
  );
}
