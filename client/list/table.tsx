// biome-ignore-all lint/a11y/noRedundantRoles: with CSS grid these elements lose their implicit roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focusable rows is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take focus, not column headings
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and their content take focus, not cells
import { Paper } from '@mantine/core';
import {
  type CSSProperties,
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useRef,
} from 'react';
import { visibleText } from '../lib/visible-text.ts';
import { copyAndSay } from '../ui/buttons.tsx';
import { cellContent, type Sorting, SortingHead } from './columns.tsx';
import { useScrolledBack } from './cursor-list.ts';
import { useRowKeys } from './row-keys.ts';
import type { ResourceRows } from './rows.ts';
import type { Selection } from './selection.tsx';
import { useRowRange } from './selection.tsx';
import classes from './table.module.css';

/** As many as fit a screen are rendered first: the others would delay them. */
const FIRST_ROWS = 12;

export function ResourceTable<T extends { id: string }>(props: {
  label: string;
  page: readonly T[];
  rows: ResourceRows<T>;
  busy: boolean;
  selection: Selection<T>;
  /** Undefined where the list has one order only. */
  sorting: Sorting | undefined;
  /** Selects what takes the focus in the next table, if this one loses it: to a key that turns the page, for example. */
  focusNext: RefObject<string | undefined>;
  hrefOf: (id: string) => string;
  open: (id: string) => void;
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
}) {
  const { page, rows, busy, selection, focusNext, hrefOf, open } = props;
  const table = useRef<HTMLTableElement>(null);
  const scrolledBack = useScrolledBack();
  const rendered = useDeferredValue(page.length, scrolledBack ? page.length : FIRST_ROWS);

  const turn = (to: (() => void) | undefined) =>
    to &&
    (() => {
      focusNext.current = '[data-row="0"]';
      to();
    });
  const range = useRowRange(page, selection);
  const openRow = (index: number): void => void (page[index] && open(page[index].id));
  const keys = useRowKeys(table, page.length, {
    open: openRow,
    toggle: range.toggle,
    extend: range.extend,
    move: range.end,
    next: turn(props.next),
    previous: turn(props.previous),
  });

  useEffect(() => {
    if (focusNext.current) table.current?.querySelector<HTMLElement>(focusNext.current)?.focus();
    focusNext.current = undefined;
  }, [focusNext]);

  const clicks = useRowClicks({
    open: openRow,
    toggle: range.toggle,
    extend: (index) => range.extend(keys.current, index),
  });

  const latestToggle = useRef(range.toggle);
  latestToggle.current = range.toggle;
  const toggle = useCallback((index: number) => latestToggle.current(index), []);
  const count = selection.rows.length;
  return (
    <Paper withBorder className={classes.frame} data-busy={busy || undefined} aria-busy={busy}>
      <table
        ref={table}
        role="grid"
        aria-label={props.label}
        aria-multiselectable
        className={`${classes.table} ${rows.className}`}
        style={{ ...rows.style, '--rows': page.length } as CSSProperties}
        {...clicks}
        onKeyDown={keys.onKeyDown}
        onFocus={({ target }) => {
          const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
          if (row !== undefined) keys.setCurrent(Number(row));
        }}
      >
        <thead role="rowgroup">
          <tr role="row" className={classes.head} style={rows.style}>
            <th role="columnheader" scope="col" className={classes.choose}>
              <input
                type="checkbox"
                aria-label="Select all rows on this page"
                checked={count === page.length}
                ref={(box) => {
                  if (box !== null) box.indeterminate = count > 0 && count < page.length;
                }}
                onChange={({ currentTarget }) =>
                  selection.choose(currentTarget.checked ? page.map(({ id }) => id) : [])
                }
              />
            </th>
            {rows.columns.map(({ name, label, className, sort }) =>
              props.sorting === undefined || sort === undefined ? (
                <th key={name} role="columnheader" scope="col" className={className}>
                  {label}
                </th>
              ) : (
                <SortingHead key={name} label={label} className={className} first={sort} {...props.sorting} />
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {page.slice(0, rendered).map((row, index) => (
            <ResourceRow
              key={row.id}
              row={row}
              rows={rows}
              href={hrefOf(row.id)}
              index={index}
              current={index === keys.current}
              chosen={selection.chosen.has(row.id)}
              onToggle={toggle}
            />
          ))}
        </tbody>
      </table>
    </Paper>
  );
}

interface RowProps<T> {
  row: T;
  rows: ResourceRows<T>;
  /** URL of the record. */
  href: string;
  index: number;
  current: boolean;
  chosen: boolean;
  onToggle: (index: number) => void;
}

/** The table handles clicks and keys. */
export const ResourceRow = memo(function ResourceRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, rows, index, current, chosen } = props;
  const rowName = visibleText(rows.nameOf(row));
  const inTabOrder = current ? 0 : -1;
  return (
    <tr
      role="row"
      className={classes.row}
      style={rows.style}
      data-row={index}
      tabIndex={inTabOrder}
      aria-selected={chosen}
    >
      <td role="gridcell" className={classes.choose} data-choose>
        <input
          type="checkbox"
          aria-label={`Select ${rowName}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(index)}
        />
      </td>
      {rows.columns.map(({ name, className, onCard, cell }, column) => {
        const content = cellContent(cell(row, inTabOrder));
        return (
          <td key={name} role="gridcell" className={className} data-on-card={onCard}>
            {column > 0 ? (
              content
            ) : (
              <a className={classes.link} href={props.href} data-open={row.id} tabIndex={inTabOrder} title={rowName}>
                {content}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}) as <T extends { id: string }>(props: RowProps<T>) => React.JSX.Element;

/** What a click on a row does, unless it hits a link, button or checkbox. */
export interface RowClicks {
  open(index: number): void;
  toggle(index: number): void;
  /** With the shift key. */
  extend(index: number): void;
}

export function useRowClicks(rows: RowClicks) {
  return {
    /** With Shift, the browser would select text from click to click. */
    onMouseDown(event: MouseEvent<HTMLElement>): void {
      if (event.shiftKey && rowAt(event) !== undefined) event.preventDefault();
    },
    /** In the capture phase, before the row's checkbox changes. */
    onClickCapture(event: MouseEvent<HTMLElement>): void {
      const index = rowAt(event);
      if (!event.shiftKey || index === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      rows.extend(index);
    },
    onClick(event: MouseEvent<HTMLElement>): void {
      const target = event.target as HTMLElement;
      const copied = target.closest<HTMLElement>('[data-copy]')?.dataset.copy;
      if (copied !== undefined) void copyAndSay(copied);
      const index = rowAt(event);
      if (index === undefined || event.ctrlKey || event.metaKey || event.button !== 0) return;
      if (target.closest('[data-open]') !== null) event.preventDefault();
      else if (target.closest('a, button, input') !== null) return;
      // A click next to the checkbox was meant for it, and selected text is meant to be copied.
      if (target.closest('[data-choose]') !== null) rows.toggle(index);
      else if (target.closest('[data-open]') !== null || getSelection()?.isCollapsed !== false) rows.open(index);
    },
  };
}

function rowAt({ target }: MouseEvent): number | undefined {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}
