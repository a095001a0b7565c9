import type { ReactNode } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import classes from './resource-table.module.css';

/** A column, named once: its heading, its cells, and the class that puts both in their place on each width of screen. */
export interface Column<T> {
  name: string;
  label: string;
  /** Of heading and cells: sets `grid-area`, which the row's own class lays out. */
  className: string | undefined;
  /** The operator may leave it out; `on-demand` ones are not there from the start. Absent for those that always stand. */
  optional?: 'from-start' | 'on-demand';
  /** A track of the grid where the operator has chosen the columns; an equal share when absent. */
  width?: string;
  /**
   * What stands in the row's cell. Nothing but elements: 250 rows are drawn on slow machines, and a component for each
   * cell would double the work.
   * @param tabIndex for whatever in it takes the focus: one row at a time is in the tab order
   */
  cell(row: T, tabIndex: 0 | -1): ReactNode;
}

/** Text of a cell stands by itself, whatever its direction, and with nothing unseen in it. */
export const cellContent = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <bdi>{visibleText(content)}</bdi> : content;

/** In a cell: opens the row's own page, as a link that can also be opened elsewhere. */
export const openingLink = (link: {
  id: string;
  href: string;
  title: string;
  tabIndex: number;
  children: ReactNode;
}): ReactNode => (
  <a
    className={classes.link}
    href={link.href}
    data-open={link.id}
    tabIndex={link.tabIndex}
    title={visibleText(link.title)}
  >
    {cellContent(link.children)}
  </a>
);

/** In a cell: the row's id, and a button that copies it. */
export const copyableId = (row: { id: string; rowName: string; tabIndex: number }): ReactNode => (
  <span className={classes.id}>
    <code title={row.id}>{row.id}</code>
    <button
      type="button"
      data-copy={row.id}
      tabIndex={row.tabIndex}
      aria-label={`Copy the id of ${visibleText(row.rowName)}`}
      title="Copy the id"
    />
  </span>
);
