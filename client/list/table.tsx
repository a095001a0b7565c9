// biome-ignore-all lint/a11y/noRedundantRoles: with CSS flex these elements lose their implicit roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focusable rows is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and their content take focus, not headings and cells
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  type CSSProperties,
  type MouseEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useRef,
} from 'react';
import { idInPath } from '../lib/encoding.ts';
import { visibleText } from '../lib/visible-text.ts';
import { copyAndSay } from '../ui/buttons.tsx';
import { cellContent, SortingHead, sortedBy, type VisibleColumn } from './columns.tsx';
import { useList, useScrolledBack } from './cursor-list.ts';
import type { ResourceDefinition } from './resource.ts';
import { useChangeSearch } from './search.tsx';
import { useRowKeys, useRowRange } from './selection.ts';
import classes from './table.module.css';

export function ListTable<T extends { id: string }>(props: {
  resource: Pick<ResourceDefinition, 'to' | 'label'>;
  /** Must be a stable array, since all rows render again when it changes. */
  columns: readonly VisibleColumn<T>[];
  nameOf: (row: T) => string;
  twoLines?: boolean | undefined;
  /** The current order; undefined if the list cannot be sorted. */
  sort: string | undefined;
  /** A sentence about the order; undefined if the headings show it. */
  order: string | undefined;
  /** Selector of the element to focus in the next table, for example after paging by key. */
  focusNext: RefObject<string | undefined>;
}) {
  const { columns, sort, order, focusNext } = props;
  const orderId = useId();
  const { to, label } = props.resource;
  const { loaded, pending, selection, next, previous } = useList<T>();
  const { pages = [], page: { rows } = { rows: [] } } = loaded ?? {};
  const table = useRef<HTMLTableElement>(null);
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const changeSearch = useChangeSearch();
  useScrolledBack();

  const turn = (toPage: (() => void) | undefined) =>
    toPage &&
    (() => {
      focusNext.current = '[data-row="0"]';
      toPage();
    });
  const range = useRowRange(rows, selection);
  const openRow = (index: number): void => {
    const id = rows[index]?.id;
    if (id === undefined) return;
    const state = { fromList: { search, pages, scrolled: scrollY } };
    void navigate({ to: `${to}/$id`, params: { id }, state });
  };
  const keys = useRowKeys(table, rows.length, {
    open: openRow,
    toggle: range.toggle,
    extend: range.extend,
    move: range.end,
    next: turn(next),
    previous: turn(previous),
  });

  useEffect(() => {
    if (focusNext.current) table.current?.querySelector<HTMLElement>(focusNext.current)?.focus();
    focusNext.current = undefined;
  }, [focusNext]);

  const choose = (index: number, isRange: boolean): void =>
    isRange ? range.extend(keys.current, index) : range.toggle(index);
  const latestChoose = useRef(choose);
  latestChoose.current = choose;
  const onChoose = useCallback<typeof choose>((index, isRange) => latestChoose.current(index, isRange), []);
  const count = selection.rows.length;
  return (
    <div className={classes.frame} data-busy={pending || undefined} aria-busy={pending}>
      <table
        ref={table}
        role="grid"
        aria-label={label}
        aria-describedby={order && orderId}
        aria-multiselectable
        className={classes.table}
        data-two-lines={props.twoLines}
        {...rowClicks(openRow, choose)}
        onKeyDown={keys.onKeyDown}
        onFocus={({ target }) => {
          const row = target.closest<HTMLElement>('[data-row]')?.dataset.row;
          if (row !== undefined) keys.setCurrent(Number(row));
        }}
      >
        <thead role="rowgroup">
          <tr role="row" className={classes.head} title={order}>
            <th role="columnheader" scope="col" className={classes.choose}>
              <input
                type="checkbox"
                aria-label="Select all rows on this page"
                checked={count === rows.length}
                ref={(box) => {
                  if (box !== null) box.indeterminate = count > 0 && count < rows.length;
                }}
                onChange={({ currentTarget }) =>
                  selection.choose(new Set(currentTarget.checked ? rows.map(({ id }) => id) : []))
                }
              />
            </th>
            {columns.map((column) =>
              sort === undefined || column.sort === undefined ? (
                <th key={column.name} role="columnheader" scope="col" {...column.box}>
                  {column.label}
                </th>
              ) : (
                <SortingHead
                  key={column.name}
                  label={column.label}
                  box={column.box}
                  first={column.sort}
                  sort={sort}
                  onSort={(next) => {
                    focusNext.current = `[data-sort="${sortedBy(next)}"]`;
                    changeSearch({ sort: next });
                  }}
                />
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup" style={{ '--rows': rows.length } as CSSProperties}>
          {rows.map((row, index) => (
            <ListRow
              key={row.id}
              row={row}
              columns={columns}
              name={visibleText(props.nameOf(row))}
              href={`${to}/${idInPath(row.id)}`}
              index={index}
              current={index === keys.current}
              chosen={selection.chosen.has(row.id)}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
      <span hidden id={orderId}>
        {order}
      </span>
    </div>
  );
}

interface RowProps<T> {
  row: T;
  columns: readonly VisibleColumn<T>[];
  name: string;
  /** URL of the record. */
  href: string;
  index: number;
  current: boolean;
  chosen: boolean;
  onChoose: (index: number, isRange: boolean) => void;
}

/** A row. The table handles its clicks and keys. */
const ListRow = memo(function ListRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, name: rowName, index, current, chosen } = props;
  const inTabOrder = current ? 0 : -1;
  return (
    <tr role="row" className={classes.row} data-row={index} tabIndex={inTabOrder} aria-selected={chosen}>
      <td role="gridcell" className={classes.choose} data-choose>
        <input
          type="checkbox"
          aria-label={`Select ${rowName}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={({ nativeEvent }) => props.onChoose(index, (nativeEvent as PointerEvent).shiftKey)}
        />
      </td>
      {props.columns.map(({ name, box, cell }, column) => {
        const content = cellContent(cell(row, inTabOrder));
        return (
          <td key={name} role="gridcell" {...box}>
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

/** Handlers for clicks in rows; checkboxes and links in other columns handle plain clicks themselves. */
function rowClicks(open: (index: number) => void, choose: RowProps<never>['onChoose']) {
  return {
    /** With Shift, the browser would select the text between two clicks. */
    onMouseDown(event: MouseEvent<HTMLElement>): void {
      if (event.shiftKey && rowAt(event) !== undefined) event.preventDefault();
    },
    onClick(event: MouseEvent<HTMLElement>): void {
      const target = event.target as HTMLElement;
      const copy = target.closest<HTMLElement>('[data-copy]')?.dataset;
      if (copy?.copy !== undefined) void copyAndSay(copy.copy, copy.what ?? 'ID');
      const index = rowAt(event);
      if (index === undefined || event.ctrlKey || event.metaKey || event.button !== 0) return;
      const isOpened = target.closest('[data-open]') !== null;
      if (isOpened || (event.shiftKey && target.closest('a') !== null)) event.preventDefault();
      else if (target.closest('a, button, input') !== null) return;
      // A click near the checkbox selects the row. Selecting text must not open the record.
      if (event.shiftKey || target.closest('[data-choose]') !== null) choose(index, event.shiftKey);
      else if (isOpened || getSelection()?.isCollapsed !== false) open(index);
    },
  };
}

function rowAt({ target }: MouseEvent): number | undefined {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}
