import { Group, NativeSelect, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import type { Statistics } from '../../shared/dashboard.ts';
import { PAGE_SIZE_DEFAULT } from '../../shared/identities.ts';
import type { Matches } from '../api/cursor-page.ts';
import { statisticsQuery } from '../api/overview.ts';
import { useCan } from '../api/session.ts';
import { digits } from '../lib/format-count.ts';
import { clockTime, formatAge } from '../lib/format-time.ts';
import { IconButton } from '../ui/buttons.tsx';
import { useNow, useScrollRoom } from '../ui/hooks.tsx';
import { IconChevronLeft, IconChevronRight } from '../ui/shell-icons.tsx';
import { type LoadedPage, useList } from './cursor-list.ts';
import classes from './list.module.css';
import { PAGE_SIZES, type PageParams, type ResourceName } from './resource.ts';
import { useUpdated } from './toolbar.tsx';

/**
 * The bar below the rows, at the bottom of the screen: their number and age, and paging.
 * @param props.status the rows, announced on change: “Page 1, rows 1–25”
 * @param props.total the total number of rows, whose age changes constantly and is not announced
 * @param props.paging a `Paging`
 * @param props.children a `SelectionBar`, which replaces the other content while rows are selected
 */
export function ListFooter(props: {
  status: string;
  total?: ReactNode;
  empty?: boolean;
  paging: ReactNode;
  children?: ReactNode;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useScrollRoom(bar, 'Bottom');
  return (
    <div ref={bar} className={classes.footer} data-empty={props.empty || undefined} data-pager data-unprinted>
      {props.children}
      {props.empty && <VisuallyHidden role="status">{props.status}</VisuallyHidden>}
      {!props.empty && (
        <>
          <div className={classes.rows}>
            <span role="status">{props.status}</span>
            {props.total}
          </div>
          {props.paging}
        </>
      )}
    </div>
  );
}

/** The age of the rows, and buttons. @param props.children replaces the buttons of a list without pages */
export function Paging({ children }: { children?: ReactNode }) {
  const updated = useUpdated();
  return (
    <Group role="group" aria-label="Paging" gap="xs">
      <Text span size="xs" className={classes.age}>
        {updated}
      </Text>
      {children ?? <PageButtons />}
    </Group>
  );
}

function PageButtons() {
  const list = useList();
  const { page_size } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setPageSize = (size: number) =>
    void navigate({ to: '.', search: (search) => ({ ...search, page_size: size }) });
  return (
    <>
      <NativeSelect
        size="xs"
        w="6.5rem"
        aria-label="Rows per page"
        value={page_size ?? PAGE_SIZE_DEFAULT}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
        onChange={(event) => setPageSize(Number(event.currentTarget.value))}
      />
      <IconButton variant="default" label="Previous page" idle={list.previous === undefined} onClick={list.previous}>
        <IconChevronLeft />
      </IconButton>
      <IconButton variant="default" label="Next page" idle={list.next === undefined} onClick={list.next}>
        <IconChevronRight />
      </IconButton>
    </>
  );
}

/**
 * Total of a list, and the age of its search index.
 * @param counted undefined in a search: the page line has the number
 * @param all total number of rows to index, if known
 */
export function Total(props: { counted?: Counted; matches?: Matches | undefined; all?: number | null }) {
  const { counted, matches, all = null } = props;
  const now = useNow();
  return (
    <span>
      {counted && formatTotal(counted, now)}
      {matches && formatIndex(matches, all, now)}
      {matches?.note && `. ${matches.note}`}
    </span>
  );
}

/**
 * The age of the index, if it found the rows; otherwise the count from the overview, or on the last page the number of
 * rows.
 * @param countIn picks a number from the statistics; undefined while that number is incomplete
 */
export function TotalAtEnd({
  countIn,
}: {
  countIn?: (statistics: Statistics) => { total: number; as_of: string } | undefined;
}) {
  const { loaded } = useList();
  const may = useCan();
  const { data } = useQuery({ ...statisticsQuery, enabled: countIn !== undefined && may('statistics.read') });
  const counted = data && countIn?.(data);
  const matches = loaded?.page.matches;
  if (matches !== undefined) return <Total matches={matches} />;
  // Not longer than the text that this replaces: otherwise the line would wrap and move the list.
  if (counted !== undefined)
    return <span title={`As of ${clockTime(Date.parse(counted.as_of), Date.now())}`}> of {digits(counted.total)}</span>;
  const isLast = loaded !== undefined && loaded.page.next === undefined;
  const total = isLast ? (loaded.pages.at(-1)?.before ?? 0) + loaded.page.rows.length : null;
  return <Total counted={{ total }} />;
}

/** "Page 3, rows 51–75", with the number of matches in a search; "12 identities match" if all are on the page. */
export function formatPage(
  { pages, page }: Pick<LoadedPage<unknown, PageParams>, 'pages' | 'page'>,
  { one, many }: Pick<ResourceName, 'one' | 'many'>,
  searched: boolean,
): string {
  const rows = page.rows.length;
  if (searched && pages.length === 0 && page.next === undefined)
    return rows === 1 ? `1 ${one} matches` : `${digits(rows)} ${many} match`;
  if (rows === 0) return pages.length === 0 ? `No ${many}` : `Page ${digits(pages.length + 1)}, no ${many}`;
  const before = pages.at(-1)?.before ?? 0;
  const matches = searched && page.matches ? `, ${formatMatches(page.matches.total)}` : '';
  const range = rows === 1 ? `row ${digits(before + 1)}` : `rows ${digits(before + 1)}–${digits(before + rows)}`;
  return `Page ${digits(pages.length + 1)}, ${range}${matches}`;
}

const formatMatches = (total: number | null): string =>
  total === null ? 'more than 10,000 match' : `${digits(total)} match`;

/** Number of rows (null if unknown), and when they were counted (ISO 8601). */
type Counted = { total: number | null; as_of?: string } | 'pending';

/** " of 12,345, counted 20 s ago" or ", total unknown" */
function formatTotal(counted: Counted, now: number): string {
  if (counted === 'pending') return ', counting…';
  if (counted.total === null) return ', total unknown';
  const age = counted.as_of && `, counted ${formatAge(now - Date.parse(counted.as_of))}`;
  return ` of ${digits(counted.total)}${age ?? ''}`;
}

/** `, as of 21:38`, and `, 12,000 of 30,000 indexed so far` while the index is incomplete. */
function formatIndex({ complete, read, asOf }: Matches, all: number | null, now: number) {
  const time = asOf === null ? '' : `, as of ${clockTime(Date.parse(asOf), now)}`;
  if (complete) return time;
  if (read === undefined) return `${time}, index incomplete`;
  return `${time}, ${all === null ? digits(read) : `${digits(read)} of ${digits(all)}`} indexed so far`;
}
