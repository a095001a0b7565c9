import { Button } from '@mantine/core';
import { useState } from 'react';
import { ColumnPanel } from '../search/column-panel.tsx';
import type { Columns } from './column.tsx';
import type { ColumnChoice } from './use-column-choice.ts';

/** A button that shows the list of columns above the table. */
export function ColumnChooser(props: { choice: ColumnChoice; columns: Columns<never> }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        Columns
      </Button>
      {open && <ColumnPanel {...props} />}
    </>
  );
}
