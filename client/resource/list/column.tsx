import type { ReactNode } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import classes from './resource-table.module.css';

/** Width of a grid track; `fr` tracks may shrink to nothing. */
type Width = `${number}fr` | `${number}rem` | `minmax(${string})`;

/** Place of a column at a screen width: its own track, a line below another column, or hidden. */
export type Place<Name extends string = string> =
  | Width
  | { line: number; under: Name /** Also spans the following tracks. */; across?: true }
  | 'hidden';

/** A column of a list. Its name is its key in `Columns`, whose order is that of the columns. */
export interface Column<T, Name extends string = string> {
  label: string;
  /** Place by screen width: over 75em, over 48em, and below, where a row is a card. */
  wide: Width;
  medium: Place<Name>;
  card: Place<Name>;
  /** Prefix on a card. */
  onCard?: string;
  /** The order that its heading asks for first: a value of the list's search parameter `sort`, `-` for descending. */
  sort?: string;
  /** The operator can hide it; `on-demand` ones are hidden by default. Absent if always shown. */
  optional?: 'from-start' | 'on-demand';
  /**
   * Content of a cell; in the first column it becomes the link to the record. Elements only, no components: with 250
   * rows on slow machines, a component for each cell would double the work.
   * @param tabIndex for focusable content: only one row at a time is in the tab order
   */
  cell(row: T, tabIndex: 0 | -1): ReactNode;
}

export type Columns<T, Name extends string = string> = Readonly<Record<Name, Column<T, NoInfer<Name>>>>;

/** Isolates the direction of a cell's text and makes invisible characters visible. */
export const cellContent = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <bdi>{visibleText(content)}</bdi> : content;

/** What stands first in a row that no longer matches: it has changed since it was read for the index. */
export const changedSince = (content: ReactNode): ReactNode => (
  <>
    {cellContent(content)}{' '}
    <small className={classes.unknown} title="No longer matches: changed since it was read for the search">
      changed since
    </small>
  </>
);

export const NONE_KNOWN = <span className={classes.unknown}>none known</span>;

export const UNKNOWN = <span className={classes.unknown}>unknown</span>;

/** The row's id in a cell, with a copy button. */
export const copyableId = (id: string, rowName: string, tabIndex: number): ReactNode => (
  <span className={classes.id}>
    <code title={id}>{id}</code>
    <button
      type="button"
      data-copy={id}
      tabIndex={tabIndex}
      aria-label={`Copy the id of ${visibleText(rowName)}`}
      title="Copy the id"
    />
  </span>
);
