import type { CSSProperties } from 'react';
import { type Column, type Columns, gridTemplate, type Place } from './columns.tsx';
import classes from './table.module.css';

interface PlacedColumn<T> extends Pick<Column<T>, 'label' | 'cell' | 'onCard' | 'sort'> {
  name: string;
  /** For heading and cells. */
  className: string;
}

/** Layout of a resource's rows. Must be the same object in all renders: rows render again when it changes. */
export interface ResourceRows<T> {
  columns: readonly PlacedColumn<T>[];
  /** The grid; for each row of the table, so that rows can be given another one in steps. */
  style: CSSProperties;
  /** For the table: whether the grid depends on the width of window or container. */
  className: string | undefined;
  /** Name of a row, for labels: "Select ada@example.org". */
  nameOf(row: T): string;
}

/** Names of grid areas; the style sheet has a class of the same name for each. */
const AREAS = 'abcdefghijkl';

/**
 * Lays out the columns.
 * @param has whether the operator has chosen a column; chosen ones are shown at every width, on a card on their own line
 * @param inContainer the layout depends on the width of the container `list` around the table, not of the window
 * @param rowSize height of a row on a wide screen; of 2.45rem without it
 */
export function resourceRows<T, Name extends string>(rows: {
  columns: Columns<T, Name>;
  nameOf: (row: T) => string;
  has?: ((name: string) => boolean) | undefined;
  inContainer?: true | undefined;
  rowSize?: `${number}rem` | undefined;
}): ResourceRows<T> {
  const { has } = rows;
  const placed = Object.entries<Column<T>>(rows.columns)
    .map(([name, column], index) => {
      // By its place among all columns, so that cells keep their class when another column is chosen.
      const area = AREAS[index];
      if (area === undefined) throw new Error(`a list has at most ${AREAS.length} columns`);
      const medium: Place = has === undefined ? column.medium : column.wide;
      const card: Place | 'own-line' = has !== undefined && column.card === 'hidden' ? 'own-line' : column.card;
      return { ...column, name, area, medium, card };
    })
    .filter(({ name, optional }) => has?.(name) ?? optional !== 'on-demand');
  const grid = (screen: 'wide' | 'medium' | 'card') =>
    gridTemplate(placed.map(({ name, area, [screen]: place }) => ({ name, area, place })));
  const card = grid('card');
  return {
    nameOf: rows.nameOf,
    columns: placed.map(({ name, label, sort, cell, area, medium, card, onCard }) => ({
      name,
      label,
      sort,
      cell,
      onCard: onCard ?? (card === 'own-line' ? `${label}: ` : undefined),
      className: [
        classes[area],
        medium === 'hidden' && classes.mediumHidden,
        typeof medium === 'object' && classes.mediumBelow,
        card === 'hidden' && classes.cardHidden,
        (card === 'own-line' || typeof card === 'object') && classes.cardBelow,
      ]
        .filter(Boolean)
        .join(' '),
    })),
    className: rows.inContainer ? classes.byContainer : classes.byWindow,
    style: {
      '--wide': grid('wide').template,
      '--medium': grid('medium').template,
      '--card': card.template,
      '--card-lines': card.lines,
      '--row-size': rows.rowSize,
    } as CSSProperties,
  };
}
