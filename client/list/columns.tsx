// biome-ignore-all lint/a11y/noRedundantRoles: with CSS grid these elements lose their implicit roles in some browsers

import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { PagedSearch } from './cursor-list.ts';
import listClasses from './list.module.css';
import { isDescending, nextSort, sortedBy } from './search.tsx';
import classes from './table.module.css';

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

export interface Sorting {
  /** The list's order: `created`, or descending `-created`. */
  sort: string;
  onSort: (sort: string) => void;
}

/** Heading of a column that the list can be sorted by. @param first the order that it asks for first */
export function SortingHead(props: Sorting & { label: string; className: string; first: string }) {
  const { sort, first } = props;
  const by = sortedBy(first);
  const direction = isDescending(sort) ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      className={props.className}
      aria-sort={sortedBy(sort) === by ? direction : undefined}
    >
      <button type="button" className={classes.sort} data-sort={by} onClick={() => props.onSort(nextSort(sort, first))}>
        {props.label}
      </button>
    </th>
  );
}

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

/** The columns that can be shown or hidden. */
export function ColumnPanel({ choice, columns }: { choice: ColumnChoice; columns: Columns<never> }) {
  return (
    <fieldset className={listClasses.columns}>
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

/** An operator's choice of columns, stored in this browser; that of a view stands in the address instead. */
export interface ColumnChoice {
  /** Undefined for the default columns. */
  shown: ReadonlySet<string> | undefined;
  /** As a search parameter; undefined for the default columns. */
  parameter: string | undefined;
  has(name: string): boolean;
  toggle(name: string): void;
  /** Back to the default columns, from those of a view to the operator's own. */
  reset(): void;
}

/** @param list name of the list, for the storage key */
export function useColumnChoice(list: string, columns: Columns<never>): ColumnChoice {
  const key = `columns.${list}.${useOperator().identityId}`;
  const { columns: linked }: PagedSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const [own, setOwn] = useState(() => kept(key, columns));
  const shown = useMemo(
    () => (linked === undefined ? own : namesIn(linked.split(','), columns)),
    [linked, own, columns],
  );
  const has = (name: string): boolean => isShown(columns, shown, name);
  const choose = (names: readonly string[] | undefined): void => {
    if (linked === undefined) {
      setOwn(names && new Set(names));
      keep(key, names);
      return;
    }
    const search = (before: object) => ({ ...before, columns: names && parameterOf(names) });
    void navigate({ to: '.', search, state: true, replace: true, resetScroll: false });
  };
  return {
    shown,
    parameter: shown && parameterOf([...shown]),
    has,
    toggle(name) {
      const optional = Object.keys(columns).filter((other) => columns[other]?.optional !== undefined);
      choose(optional.filter((other) => has(other) !== (other === name)));
    },
    reset: () => choose(undefined),
  };
}

/** An empty parameter would be absent. */
const parameterOf = (names: readonly string[]): string => names.join(',') || 'none';

export function isShown(columns: Columns<never>, shown: ReadonlySet<string> | undefined, name: string): boolean {
  const optional = columns[name]?.optional;
  if (optional === undefined) return true;
  return shown === undefined ? optional === 'from-start' : shown.has(name);
}

const namesIn = (names: readonly string[], columns: Columns<never>): ReadonlySet<string> =>
  new Set(names.filter((name) => Object.hasOwn(columns, name)));

function kept(key: string, columns: Columns<never>): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (!Array.isArray(names)) return undefined;
    return namesIn(names, columns);
  } catch {
    return undefined;
  }
}

function keep(key: string, names: readonly string[] | undefined): void {
  try {
    if (names === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(names));
  } catch {
    // Without storage, the defaults are shown again next time.
  }
}

/** A column at one screen width. */
export interface PlacedCell {
  name: string;
  /** The `grid-area` of its cells. */
  area: string;
  /** `own-line`: a separate line below all others. */
  place: Place | 'own-line';
}

const CHOOSE = 'choose';
const CHOOSE_WIDTH = '2.5rem';
const NOTHING = '.';

/** The `grid-template` of a row, beginning with its checkbox. A cell with nothing below it extends downwards. */
export function gridTemplate(cells: readonly PlacedCell[]): { template: string; lines: number } {
  const tracks = cells.flatMap(({ name, area, place }) =>
    typeof place === 'object' || place === 'hidden' || place === 'own-line' ? [] : [{ name, area, width: place }],
  );
  const below = cells.flatMap(({ area, place }) => (typeof place === 'object' ? [{ area, ...place }] : []));
  const lines = [tracks.map(({ area }) => area)];
  for (const line of [...new Set(below.map((cell) => cell.line))].sort((a, b) => a - b)) {
    const above = lines.at(-1) ?? [];
    const here = below.filter((cell) => cell.line === line);
    const across = here.find((cell) => cell.across);
    const from = tracks.findIndex(({ name }) => name === across?.under);
    lines.push(
      tracks.map(({ name }, track) =>
        across !== undefined && from !== -1 && track >= from
          ? across.area
          : (here.find(({ under }) => under === name)?.area ?? above[track] ?? NOTHING),
      ),
    );
  }
  const own = cells.filter(({ place }) => place === 'own-line');
  const areas = [
    ...lines.map((line) => [CHOOSE, ...line]),
    ...own.map(({ area }) => [NOTHING, area, ...tracks.slice(1).map(() => NOTHING)]),
  ];
  const widths = tracks.map(({ width }) => (width.endsWith('fr') ? `minmax(0, ${width})` : width));
  return {
    template: `${areas.map((line) => `"${line.join(' ')}"`).join(' ')} / ${CHOOSE_WIDTH} ${widths.join(' ')}`,
    lines: areas.length,
  };
}
