import type { ReactNode } from 'react';
import { Button } from '../../ui/elements/button.tsx';
import { Text } from '../../ui/elements/text.tsx';
import { StickyBar } from '../../ui/sticky-bar.tsx';
import classes from './selection-bar.module.css';
import type { Selection } from './use-selection.ts';

/** At the bottom of the screen, so that no row moves while the operator is selecting. */
export function SelectionBar<T>({ selection, children }: { selection: Selection<T>; children: ReactNode }) {
  if (selection.rows.length === 0) return null;
  return (
    <StickyBar className={classes.bar} gap="sm">
      <Text size="sm" fw={500} role="status">
        {selection.rows.length} selected on this page
      </Text>
      {children}
      <Button size="xs" variant="subtle" onClick={() => selection.choose([])}>
        Clear
      </Button>
    </StickyBar>
  );
}
