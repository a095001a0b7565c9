// biome-ignore-all lint/a11y/noRedundantRoles: with CSS flex these elements lose their implicit roles in some browsers

import { Button, Fieldset, UnstyledButton } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, useMemo, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { visibleText } from '../lib/visible-text.ts';
import { IconCopy } from '../ui/shell-icons.tsx';
import type { PagedSearch } from './cursor-list.ts';
import listClasses from './list.module.css';
import classes from './table.module.css';

/** A column of a list. Its name is its key in `Columns`, whose order is that of the columns. */
export interface Column<T> {
  label: string;
  /** A share of the width, 1 by default, or a fixed width. */
  width?: number | `${number}rem`;
  /** Hidden in a narrow list, unless the operator has chosen it. */
  wideOnly?: true;
  /** The order after the first press on its heading: a value of the search parameter `sort`, `-` for descending. */
  sort?: string;
  /** The operator can show or hide it; this is the default. Absent if always visible. */
  optional?: 'shown' | 'hidden';
  /**
   * Content of a cell; in the first column it becomes the link to the record. Elements only, no components: with 250
   * rows on slow machines, a component for each cell would double the work.
   * @param tabIndex for focusable content: only one row at a time is in the tab order
   */
  cell(row: T, tabIndex: 0 | -1): ReactNode;
}

export type Columns<T> = Readonly<Record<string, Column<T>>>;

export interface VisibleColumn<T> extends Column<T> {
  name: string;
  /** Attributes of its heading and cells. */
  box: { className: string | undefined; style: CSSProperties };
}

/** @param chosen the optional columns that the operator has chosen; undefined for the default ones */
export const visibleColumns = <T,>(
  columns: Columns<T>,
  chosen: ReadonlySet<string> | undefined,
): readonly VisibleColumn<T>[] =>
  Object.entries(columns)
    .filter(([name]) => isVisible(columns, chosen, name))
    .map(([name, column]) => {
      const { width = 1, wideOnly } = column;
      const isFixed = typeof width === 'string';
      const className = [isFixed && classes.fixed, wideOnly && chosen === undefined && classes.wideOnly];
      return {
        ...column,
        name,
        box: {
          className: className.filter(Boolean).join(' ') || undefined,
          style: isFixed ? { width } : { flexGrow: width },
        },
      };
    });

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
    >
      <IconCopy size={14} />
    </button>
  </span>
);

/**
 * Heading of a column that the list can be sorted by.
 * @param props.first the order after its first press
 * @param props.sort the list's order: `created`, or descending `-created`
 */
export function SortingHead(props: {
  label: string;
  box: VisibleColumn<never>['box'];
  first: string;
  sort: string;
  onSort: (sort: string) => void;
}) {
  const { sort, first } = props;
  const by = sortedBy(first);
  const isSorted = sortedBy(sort) === by;
  const isDescending = sort.startsWith('-');
  return (
    <th
      role="columnheader"
      scope="col"
      {...props.box}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        className={classes.sort}
        data-sort={by}
        onClick={() => props.onSort(!isSorted ? first : isDescending ? by : `-${by}`)}
      >
        {props.label}
      </UnstyledButton>
    </th>
  );
}

/** What an order goes by: `created` of `-created`, the same descending. */
export const sortedBy = (sort: string): string => sort.replace(/^-/, '');

/** A button that shows the list of columns above the table, if any can be shown or hidden. */
export function ColumnChooser(props: { choice: ReturnType<typeof useColumnChoice>; columns: Columns<never> }) {
  const { choice, columns } = props;
  const [open, setOpen] = useState(false);
  const optional = Object.entries(columns).filter(([, column]) => column.optional !== undefined);
  if (optional.length === 0) return null;
  return (
    <>
      <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        Columns
      </Button>
      {open && (
        <Fieldset legend="Visible columns" className={listClasses.columns}>
          {optional.map(([name, { label }]) => (
            <label key={name}>
              <input type="checkbox" checked={choice.has(name)} onChange={() => choice.toggle(name)} />
              {label}
            </label>
          ))}
          <Button
            size="compact-xs"
            variant="default"
            data-disabled={choice.chosen === undefined || undefined}
            aria-disabled={choice.chosen === undefined}
            onClick={choice.reset}
          >
            Reset
          </Button>
        </Fieldset>
      )}
    </>
  );
}

/**
 * An operator's choice of columns, stored in this browser; that of a view stands in the address instead.
 * @param list name of the list, for the storage key
 */
export function useColumnChoice(list: string, columns: Columns<never>) {
  const key = `columns.${list}.${useOperator().identityId}`;
  const { columns: linked }: PagedSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const [own, setOwn] = useState(() => readChoice(key, columns));
  const chosen = useMemo(
    () => (linked === undefined ? own : namesIn(linked.split(','), columns)),
    [linked, own, columns],
  );
  const has = (name: string): boolean => isVisible(columns, chosen, name);
  const choose = (names: readonly string[] | undefined): void => {
    if (linked === undefined) {
      setOwn(names && new Set(names));
      storeChoice(key, names);
      return;
    }
    const search = (before: object) => ({ ...before, columns: names && parameterOf(names) });
    void navigate({ to: '.', search, state: true, replace: true, resetScroll: false });
  };
  return {
    /** Undefined for the default columns. */
    chosen,
    /** As a search parameter; undefined for the default columns. */
    parameter: chosen && parameterOf([...chosen]),
    has,
    toggle(name: string): void {
      const optional = Object.keys(columns).filter((other) => columns[other]?.optional !== undefined);
      choose(optional.filter((other) => has(other) !== (other === name)));
    },
    /** Back to the default columns, from those of a view to the operator's own. */
    reset: () => choose(undefined),
  };
}

/** An empty parameter would be absent. */
const parameterOf = (names: readonly string[]): string => names.join(',') || 'none';

function isVisible(columns: Columns<never>, chosen: ReadonlySet<string> | undefined, name: string): boolean {
  const optional = columns[name]?.optional;
  if (optional === undefined) return true;
  return chosen === undefined ? optional === 'shown' : chosen.has(name);
}

const namesIn = (names: readonly string[], columns: Columns<never>): ReadonlySet<string> =>
  new Set(names.filter((name) => Object.hasOwn(columns, name)));

function readChoice(key: string, columns: Columns<never>): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(names) ? namesIn(names, columns) : undefined;
  } catch {
    return undefined;
  }
}

function storeChoice(key: string, names: readonly string[] | undefined): void {
  try {
    if (names === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(names));
  } catch {
    // Without storage, the next visit begins with the defaults.
  }
}
