import { useMediaQuery } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, useMemo, useState } from 'react';
import { attempt } from '../../shared/json.ts';
import { useOperator } from '../api/session.ts';
import { remember, remembered } from '../lib/tab-storage.ts';
import { visibleText } from '../lib/visible-text.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { IconAdjustments } from '../ui/shell-icons.tsx';
import type { PagedSearch } from './resource.ts';
import classes from './table.module.css';
import toolbarClasses from './toolbar.module.css';
import { PopoverButton, PopoverPanel } from './toolbar.tsx';

/** A column of a list. `Columns` has the columns by name, in display order. */
export interface Column<T> {
  label: string;
  /** A share of the width (1 by default), or a fixed width. */
  width?: number | `${number}rem`;
  /** Hidden in a narrow list with the default columns. */
  wideOnly?: true;
  /** Value of `sort` after the first click on the heading; `-` for descending. */
  sort?: string;
  /** At least this wide, unless the list is narrow. For texts of a known length, which would be cut otherwise. */
  atLeast?: `${number}rem`;
  /** Whether the column is visible by default (`wide`: on a wide screen); absent if it cannot be hidden. */
  optional?: 'shown' | 'wide' | 'hidden';
  /**
   * Content of a cell, an element or a text; in the first column it becomes the link to the record.
   * @param tabIndex for focusable content: only one row at a time is in the tab order
   */
  cell(row: T, tabIndex: 0 | -1): ReactNode;
}

export type Columns<T> = Readonly<Record<string, Column<T>>>;

export interface VisibleColumn<T> extends Column<T> {
  name: string;
  /** Attributes of heading and cells. */
  box: { className: string | undefined; style: CSSProperties };
}

/** @param chosen the optional columns to show; undefined for the defaults, which depend on `isWide` */
export const visibleColumns = <T,>(
  columns: Columns<T>,
  chosen: ReadonlySet<string> | undefined,
  isWide = false,
): readonly VisibleColumn<T>[] =>
  Object.entries(columns)
    .filter(([name]) => isVisible(columns, chosen, name, isWide))
    .map(([name, column]) => {
      const { width = 1, wideOnly, atLeast } = column;
      const isFixed = typeof width === 'string';
      const className = [isFixed && classes.fixed, wideOnly && chosen === undefined && classes.wideOnly];
      return {
        ...column,
        name,
        box: {
          className: className.filter(Boolean).join(' ') || undefined,
          style: (isFixed ? { width } : { flexGrow: width, '--at-least': atLeast }) as CSSProperties,
        },
      };
    });

/** Marks a row that has changed since indexing and no longer matches. */
export const ChangedSince = ({ children }: { children: ReactNode }) => (
  <span className={classes.changed}>
    {children}{' '}
    <small className={classes.unknown} title="Changed since it was indexed">
      no longer matches
    </small>
  </span>
);

/** Text for a missing value. @param props.title the reason */
export const Unknown = ({ title, children }: { title?: string; children: string }) => (
  <span className={classes.unknown} title={title}>
    {children}
  </span>
);

export const CopyableId = ({ id, rowName, tabIndex }: { id: string; rowName: string; tabIndex: number }) => (
  <span className={classes.id}>
    <code title={id}>{id}</code>
    <CopyButton what={`the ID of ${visibleText(rowName)}`} read={() => id} tabIndex={tabIndex} />
  </span>
);

export function ColumnChooser(props: { choice: ReturnType<typeof useColumnChoice>; columns: Columns<never> }) {
  const { choice, columns } = props;
  const [open, setOpen] = useState(false);
  const optional = Object.entries(columns).filter(([, column]) => column.optional !== undefined);
  if (optional.length === 0) return null;
  return (
    <PopoverButton
      aria-label="Columns"
      title="Columns"
      open={open}
      setOpen={setOpen}
      panel={() => (
        <PopoverPanel label="Visible columns">
          {optional.map(([name, { label }]) => (
            <label key={name} className={toolbarClasses.option}>
              {label}
              <input type="checkbox" checked={choice.has(name)} onChange={() => choice.toggle(name)} />
            </label>
          ))}
          <GuardedButton
            size="xs"
            variant="subtle"
            fullWidth
            reason={choice.chosen === undefined ? 'These are the default columns.' : undefined}
            onClick={choice.reset}
          >
            Reset
          </GuardedButton>
        </PopoverPanel>
      )}
    >
      <IconAdjustments />
    </PopoverButton>
  );
}

/**
 * The operator's columns, stored in this browser; a saved view has its columns in the URL instead.
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
  const isWide = useMediaQuery(WIDE, false, { getInitialValueInEffect: false });
  const has = (name: string): boolean => isVisible(columns, chosen, name, isWide);
  const choose = (names: readonly string[] | undefined): void => {
    if (linked === undefined) {
      setOwn(names && new Set(names));
      remember(key, names && JSON.stringify(names));
      return;
    }
    const search = (before: object) => ({ ...before, columns: names && columnsParameter(names) });
    void navigate({ to: '.', search, state: true, replace: true, resetScroll: false });
  };
  return {
    /** Undefined for the default columns. */
    chosen,
    /** Whether the screen has room for more default columns. */
    isWide,
    /** As a search parameter; undefined for the default columns. */
    parameter: chosen && columnsParameter([...chosen]),
    has,
    toggle(name: string): void {
      const optional = Object.keys(columns).filter((other) => columns[other]?.optional !== undefined);
      choose(optional.filter((other) => has(other) !== (other === name)));
    },
    /** Restores the defaults, or the operator's own columns in a saved view. */
    reset: () => choose(undefined),
  };
}

/** `none` for no columns, since empty parameters are dropped. */
const columnsParameter = (names: readonly string[]): string => names.join(',') || 'none';

/** Besides the navigation, there is room for a UUID and two more times. */
const WIDE = '(min-width: 110em)';

function isVisible(
  columns: Columns<never>,
  chosen: ReadonlySet<string> | undefined,
  name: string,
  isWide: boolean,
): boolean {
  const optional = columns[name]?.optional;
  if (optional === undefined) return true;
  return chosen?.has(name) ?? (optional === 'shown' || (optional === 'wide' && isWide));
}

const namesIn = (names: readonly string[], columns: Columns<never>): ReadonlySet<string> =>
  new Set(names.filter((name) => Object.hasOwn(columns, name)));

function readChoice(key: string, columns: Columns<never>): ReadonlySet<string> | undefined {
  const names: unknown = attempt(() => JSON.parse(remembered(key) ?? 'null'));
  return Array.isArray(names) ? namesIn(names, columns) : undefined;
}
