import type { ReactNode } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import classes from './resource-table.module.css';

/** A track of the grid; a share of what is left may shrink to nothing. */
type Width = `${number}fr` | `${number}rem` | `minmax(${string})`;

/** Where a column stands on a screen: in a track of its own, below another one in that one's track, or nowhere. */
export type Place<Name extends string = string> =
  | Width
  | { line: number; under: Name /** Over the tracks that follow, too. */; across?: true }
  | 'hidden';

/** A column of a list. Its name is its key among them; they stand in their order. */
export interface Column<T, Name extends string = string> {
  label: string;
  /** On each width of screen: more than 75em, more than 48em, and what is left, where a row is a card. */
  wide: Width;
  medium: Place<Name>;
  card: Place<Name>;
  /** Stands before it on a card. */
  onCard?: string;
  /** The operator may leave it out; `on-demand` ones are not there from the start. Absent for those that always stand. */
  optional?: 'from-start' | 'on-demand';
  /**
   * What stands in the row's cell; the first column's is the link to the record. Nothing but elements: 250 rows are drawn
   * on slow machines, and a component for each cell would double the work.
   * @param tabIndex for whatever in it takes the focus: one row at a time is in the tab order
   */
  cell(row: T, tabIndex: 0 | -1): ReactNode;
}

export type Columns<T, Name extends string = string> = Readonly<Record<Name, Column<T, NoInfer<Name>>>>;

/** Text of a cell stands by itself, whatever its direction, and with nothing unseen in it. */
export const cellContent = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <bdi>{visibleText(content)}</bdi> : content;

export const NOT_KNOWN = <span className={classes.unknown}>not known</span>;

/** In a cell: the row's id, and a button that copies it. */
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
