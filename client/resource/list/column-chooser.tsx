import { useId, useState } from 'react';
import { Button } from '../../ui/elements/button.tsx';
import type { Columns } from './column.tsx';
import classes from './column-chooser.module.css';
import type { ColumnChoice } from './use-column-choice.ts';

/** A button that shows the list of columns above the table. */
export function ColumnChooser(props: { choice: ColumnChoice; columns: Columns<never> }) {
  const { choice, columns } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button size="xs" variant="default" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        Columns
      </Button>
      {open && (
        <fieldset id={id} className={classes.columns}>
          <legend>Columns to show</legend>
          {Object.entries(columns)
            .filter(([, { optional }]) => optional !== undefined)
            .map(([name, { label }]) => (
              <label key={name}>
                <input type="checkbox" checked={choice.has(name)} onChange={() => choice.toggle(name)} /> {label}
              </label>
            ))}
          <Button
            size="compact-xs"
            variant="default"
            data-disabled={choice.shown === undefined || undefined}
            aria-disabled={choice.shown === undefined}
            onClick={choice.reset}
          >
            Reset
          </Button>
        </fieldset>
      )}
    </>
  );
}
