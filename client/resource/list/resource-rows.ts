import type { CSSProperties } from 'react';
import type { Column, Columns, Place } from './column.tsx';
import { gridTemplate } from './grid-template.ts';
import classes from './resource-table.module.css';

/** A column in its place. */
interface PlacedColumn<T> extends Pick<Column<T>, 'label' | 'cell' | 'onCard'> {
  name: string;
  /** Of heading and cells. */
  className: string;
}

/** How a resource's rows look and what they lead to. One object for all renders: rows are redrawn when it changes. */
export interface ResourceRows<T> {
  columns: readonly PlacedColumn<T>[];
  /** Of the table: how its rows are laid out, and by whose width. */
  style: CSSProperties;
  className: string | undefined;
  /** What a row is called where it cannot be pointed at: "Select ada@example.org". */
  nameOf(row: T): string;
}

/** The style sheet has a class of each of these names for the area that is called like it. */
const AREAS = 'abcdefghijkl';

/**
 * Puts the columns in their places.
 * @param has whether the operator has chosen a column: each then stands on every screen, on a card in a line of its own
 * @param inContainer not the window's width counts, but that of the container `list` around the table
 * @param rowSize how high a row is on a wide screen, if it holds more than text
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
    .filter(([name, { optional }]) => has?.(name) ?? optional !== 'on-demand')
    .map(([name, column], index) => {
      const area = AREAS[index];
      if (area === undefined) throw new Error(`a list has at most ${AREAS.length} columns`);
      const medium: Place = has === undefined ? column.medium : column.wide;
      const card: Place | 'own-line' = has !== undefined && column.card === 'hidden' ? 'own-line' : column.card;
      return { ...column, name, area, medium, card };
    });
  const grid = (screen: 'wide' | 'medium' | 'card') =>
    gridTemplate(placed.map(({ name, area, [screen]: place }) => ({ name, area, place })));
  const card = grid('card');
  return {
    nameOf: rows.nameOf,
    columns: placed.map(({ name, label, cell, area, medium, card, onCard }) => ({
      name,
      label,
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
