import { Button } from '@mantine/core';
import type { Columns } from '../list/column.tsx';
import type { ColumnChoice } from '../list/use-column-choice.ts';
import classes from './column-panel.module.css';

/** The columns that can be shown or hidden. */
export function ColumnPanel({ choice, columns }: { choice: ColumnChoice; columns: Columns<never> }) {
  return (
    <fieldset className={classes.columns}>
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
  );
}
