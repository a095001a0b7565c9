// biome-ignore-all lint/a11y/noRedundantRoles: with CSS flex these elements lose their implicit roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focusable rows is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and their content take focus, not headings and cells
import { UnstyledButton } from '@mantine/core';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type CSSProperties,
  Fragment,
  type MouseEvent,
  memo,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { idInPath } from '../lib/encoding.ts';
import { visibleText } from '../lib/visible-text.ts';
import { StatusDot } from '../ui/facts.tsx';
import type { VisibleColumn } from './columns.tsx';
import { useList } from './cursor-list.ts';
import type { ResourceDefinition } from './resource.ts';
import { useChangeSearch } from './search.tsx';
import { useRowKeys, useRowRange } from './selection.ts';
import classes from './table.module.css';

/** Rendered before the others: with all 25 at once, the first row comes about 20% later on a slow machine. */
const FIRST_ROWS = 5;

export function ListTable<T extends { id: string }>(props: {
  resource: Pick<ResourceDefinition, 'to' | 'label'>;
  /** Must be a stable array, since all rows render again when it changes. */
  columns: readonly VisibleColumn<T>[];
  nameOf: (row: T) => string;
  /** The rows have no pages. */
  plain?: boolean | undefined;
  selectable: boolean;
  /** Notes between a row and the one above it. */
  above?: ((row: T) => readonly string[]) | undefined;
  twoLines?: boolean | undefined;
  /** The current order; undefined if the list cannot be sorted. */
  sort: string | undefined;
  /** A sentence about the order; undefined if the headings show it. */
  order: string | undefined;
  focusNext: FocusNext;
  /** Whether to render more than the first rows. */
  isReady: boolean;
}) {
  const { columns, order, focusNext, plain } = props;
  const { to, label } = props.resource;
  const orderId = useId();
  const { loaded, pending, selection } = useList<T>();
  const rows = loaded?.page.rows ?? [];
  const table = useRef<HTMLTableElement>(null);
  const { open, choose, keys } = useRowActions<T>(table, plain ? undefined : to, focusNext);
  // After a link back to the list. After Back or a reload, the browser restores the position.
  const scrolled = useLocation({ select: ({ state }) => state.scrolled });
  useLayoutEffect(() => {
    if (scrolled !== undefined) scrollTo({ top: scrolled });
  }, [scrolled]);
  useEffect(() => {
    if (focusNext.current) table.current?.querySelector<HTMLElement>(focusNext.current)?.focus();
    focusNext.current = undefined;
  }, [focusNext]);
  return (
    <div className={classes.frame} data-busy={pending || undefined} aria-busy={pending}>
      <table
        ref={table}
        role="grid"
        aria-label={label}
        aria-describedby={order && orderId}
        aria-multiselectable={props.selectable}
        data-plain={plain}
        className={classes.table}
        data-two-lines={props.twoLines}
        {...rowClicks(open, choose)}
        onKeyDown={keys.onKeyDown}
        onFocus={(event) => {
          const row = rowAt(event);
          if (row !== undefined) keys.setCurrent(row);
        }}
      >
        <TableHead columns={columns} sort={props.sort} order={order} focusNext={focusNext} />
        <tbody role="rowgroup" style={{ '--rows': rows.length } as CSSProperties}>
          {(props.isReady ? rows : rows.slice(0, FIRST_ROWS)).map((row, index) => (
            <Fragment key={row.id}>
              {props.above?.(row).map((note) => (
                <tr key={note} role="row" className={classes.note}>
                  <td role="gridcell">
                    <StatusDot status="warning">{note}</StatusDot>
                  </td>
                </tr>
              ))}
              <ListRow
                row={row}
                columns={columns}
                name={visibleText(props.nameOf(row))}
                href={plain ? undefined : `${to}/${idInPath(row.id)}`}
                index={index}
                current={index === keys.current}
                chosen={selection.chosen.has(row.id)}
              />
            </Fragment>
          ))}
        </tbody>
      </table>
      <span hidden id={orderId}>
        {order}
      </span>
    </div>
  );
}

/** Selector of the element to focus in the next table, for example after paging by key. */
type FocusNext = RefObject<string | undefined>;

/** What clicks and keys do: open and select rows, move between them, turn the page. @param to undefined for plain rows */
function useRowActions<T extends { id: string }>(
  table: RefObject<HTMLTableElement | null>,
  to: string | undefined,
  focusNext: FocusNext,
) {
  const { loaded, selection, next, previous } = useList<T>();
  const { pages = [], page } = loaded ?? {};
  const rows = (to !== undefined && page?.rows) || [];
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = useRowRange(rows, selection);
  const turn = (toPage: (() => void) | undefined) =>
    toPage &&
    (() => {
      focusNext.current = '[data-row="0"]';
      toPage();
    });
  const open = (index: number): void => {
    const id = rows[index]?.id;
    if (id === undefined) return;
    const state = { fromList: { search, pages, scrolled: scrollY } };
    void navigate({ to: `${to}/$id`, params: { id }, state });
  };
  const keys = useRowKeys(table, page?.rows.length ?? 0, {
    open,
    toggle: range.toggle,
    extend: range.extend,
    move: range.end,
    next: turn(next),
    previous: turn(previous),
  });
  const choose = (index: number, isRange: boolean): void =>
    isRange ? range.extend(keys.current, index) : range.toggle(index);
  return { open, choose, keys };
}

function TableHead<T extends { id: string }>(props: {
  columns: readonly VisibleColumn<T>[];
  sort: string | undefined;
  order: string | undefined;
  focusNext: FocusNext;
}) {
  const { columns, sort, order, focusNext } = props;
  const { loaded, selection } = useList<T>();
  const changeSearch = useChangeSearch();
  const rows = loaded?.page.rows ?? [];
  const count = selection.rows.length;
  return (
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
        {columns.map(({ name, label, box, sort: first }) => {
          const by = first && sortedBy(first);
          const isSorted = by !== undefined && sort !== undefined && sortedBy(sort) === by;
          const isDescending = sort?.startsWith('-');
          const onSort = (): void => {
            focusNext.current = `[data-sort="${by}"]`;
            changeSearch({ sort: !isSorted ? first : isDescending ? by : `-${by}` });
          };
          return (
            <th
              key={name}
              role="columnheader"
              scope="col"
              {...box}
              aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
            >
              {sort === undefined || by === undefined ? (
                label
              ) : (
                <UnstyledButton fz="inherit" fw="inherit" className={classes.sort} data-sort={by} onClick={onSort}>
                  {label}
                </UnstyledButton>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** The column of an order: `created` for both `created` and `-created`. */
const sortedBy = (sort: string): string => sort.replace(/^-/, '');

interface RowProps<T> {
  row: T;
  columns: readonly VisibleColumn<T>[];
  name: string;
  href: string | undefined;
  index: number;
  current: boolean;
  chosen: boolean;
}

const ListRow = memo(function ListRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, name: rowName, index, current, chosen } = props;
  const inTabOrder = current ? 0 : -1;
  return (
    <tr role="row" className={classes.row} data-row={index} tabIndex={inTabOrder} aria-selected={chosen}>
      <td role="gridcell" className={classes.choose} data-choose>
        <input type="checkbox" aria-label={`Select ${rowName}`} tabIndex={inTabOrder} checked={chosen} readOnly />
      </td>
      {props.columns.map(({ name, box, cell }, column) => {
        const text = cell(row, inTabOrder);
        const content = typeof text === 'string' ? <bdi>{visibleText(text)}</bdi> : text;
        return (
          <td key={name} role="gridcell" {...box}>
            {column > 0 || props.href === undefined ? (
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

/** Handlers for clicks in rows; links in other columns handle plain clicks themselves. */
function rowClicks(open: (index: number) => void, choose: (index: number, isRange: boolean) => void) {
  return {
    /** With Shift, the browser would select the text between two clicks. */
    onMouseDown(event: MouseEvent<HTMLElement>): void {
      if (event.shiftKey && rowAt(event) !== undefined) event.preventDefault();
    },
    onClick(event: MouseEvent<HTMLElement>): void {
      const target = event.target as HTMLElement;
      const index = rowAt(event);
      if (index === undefined) return;
      if (target.closest('[data-choose]') !== null) {
        // A click near the checkbox selects the row, too.
        choose(index, event.shiftKey);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.button !== 0) return;
      const isOpened = target.closest('[data-open]') !== null;
      if (isOpened || (event.shiftKey && target.closest('a') !== null)) event.preventDefault();
      else if (target.closest('a, button, input') !== null) return;
      // Selecting text must not open the record.
      if (event.shiftKey) choose(index, true);
      else if (isOpened || getSelection()?.isCollapsed !== false) open(index);
    },
  };
}

function rowAt({ target }: SyntheticEvent): number | undefined {
  const row = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
  return row === undefined ? undefined : Number(row);
}
