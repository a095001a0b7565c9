// biome-ignore-all lint/a11y/noRedundantRoles: with CSS grid these elements lose their implicit roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focusable rows is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take focus, not column headings

import { Paper } from '@mantine/core';
import { type CSSProperties, type RefObject, useCallback, useEffect, useRef } from 'react';
import { type Sorting, SortingHead } from './column-head.tsx';
import { ResourceRow } from './resource-row.tsx';
import type { ResourceRows } from './resource-rows.ts';
import classes from './resource-table.module.css';
import { useRowClicks } from './use-row-clicks.ts';
import { useRowKeys } from './use-row-keys.ts';
import { useRowRange } from './use-row-range.ts';
import { useScrolledBack } from './use-scrolled-back.ts';
import type { Selection } from './use-selection.ts';

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
  useScrolledBack();

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
          {page.map((row, index) => (
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
