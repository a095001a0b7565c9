import { ActionIcon, Button, Group, Kbd, NativeSelect, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { PAGE_SIZE_DEFAULT } from '../../shared/identities.ts';
import { type CountIn, type Matches, useCounted } from '../api/cursor-page.ts';
import { digits } from '../lib/format-count.ts';
import { formatAge, timeOfDay } from '../lib/format-time.ts';
import { isTyping, useNow } from '../ui/hooks.tsx';
import { IconChevronLeft, IconChevronRight, IconRefresh } from '../ui/shell-icons.tsx';
import { type LoadedPage, PAGE_SIZES, type PageParams, useList } from './cursor-list.ts';
import classes from './list.module.css';
import type { ResourceName } from './resource.ts';

export function Pager() {
  const list = useList();
  const { page_size } = useSearch({ strict: false });
  const navigate = useNavigate();
  const turnTo = (size: number) => void navigate({ to: '.', search: (search) => ({ ...search, page_size: size }) });
  return (
    <Group gap="xs" role="group" aria-label="Paging" data-unprinted>
      <Refresh />
      <NativeSelect
        size="xs"
        className={classes.size}
        aria-label="Rows per page"
        value={page_size ?? PAGE_SIZE_DEFAULT}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: `${size} rows` }))}
        onChange={(event) => turnTo(Number(event.currentTarget.value))}
      />
      <PageButton label="Previous page" go={list.previous}>
        <IconChevronLeft /> <span className={classes.notOnPhone}>Previous</span>
      </PageButton>
      <PageButton label="Next page" go={list.next}>
        <span className={classes.notOnPhone}>Next</span> <IconChevronRight />
      </PageButton>
    </Group>
  );
}

/** Without a page in this direction it does nothing, but unlike a disabled button keeps focus. */
function PageButton(props: { label: string; go: (() => void) | undefined; children: ReactNode }) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={props.label}
      data-disabled={props.go === undefined || undefined}
      aria-disabled={props.go === undefined}
      onClick={() => props.go?.()}
    >
      {props.children}
    </Button>
  );
}

const AGE_STEP_MS = 10_000;

/** Page and rows, announced when they change, and the total, whose age ticks and is not announced. */
export const PageLine = ({ status, children }: { status: string; children?: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div" me="auto" className={classes.line}>
    <span role="status">{status}</span>
    {children}
  </Text>
);

/**
 * Total of a list, and as of when its index knows the rows.
 * @param what the index reads: `people`
 * @param counted undefined in a search, whose page line has the number
 * @param all how many rows the index is to read, if known
 */
export function Total(props: { what: string; counted?: Counted; matches?: Matches | undefined; all?: number | null }) {
  const { what, counted, matches, all = null } = props;
  const now = useNow(AGE_STEP_MS);
  return (
    <span>
      {counted && `, ${formatTotal(counted, now)}`}
      {matches && formatReading(matches, what, all, now)}
    </span>
  );
}

/**
 * What an index says about a search; else how many the statistics count, or where these do not know, the total on the
 * last page.
 */
export function TotalAtEnd({ what, countIn }: { what: string; countIn?: CountIn }) {
  const { loaded } = useList();
  const counted = useCounted(countIn);
  const matches = loaded?.page.matches;
  if (matches !== undefined) return <Total what={what} matches={matches} />;
  // No longer than what stands here before: the line would wrap, and move the list.
  if (counted !== undefined)
    return (
      <span title={`As of ${timeOfDay(new Date(counted.as_of), Date.now())}`}>, {digits(counted.total)} in total</span>
    );
  const isLast = loaded !== undefined && loaded.page.next === undefined;
  const total = isLast ? (loaded.pages.at(-1)?.before ?? 0) + loaded.page.rows.length : null;
  return <Total what={what} counted={{ total }} />;
}

/** "Page 3, rows 51–75", in a search also how many match; "12 identities match" where they are all on the page. */
export function formatPage(
  { pages, page }: Pick<LoadedPage<unknown, PageParams>, 'pages' | 'page'>,
  { one, many }: Pick<ResourceName, 'one' | 'many'>,
  searched: boolean,
): string {
  const rows = page.rows.length;
  if (searched && pages.length === 0 && page.next === undefined)
    return rows === 1 ? `1 ${one} matches` : `${digits(rows)} ${many} match`;
  const before = pages.at(-1)?.before ?? 0;
  const matches = searched && page.matches ? `, ${formatMatches(page.matches.total)}` : '';
  const range = rows === 1 ? `row ${digits(before + 1)}` : `rows ${digits(before + 1)}–${digits(before + rows)}`;
  return `Page ${digits(pages.length + 1)}, ${range}${matches}`;
}

const formatMatches = (total: number | null): string =>
  total === null ? 'more than 10,000 match' : `${digits(total)} match`;

/** Number of rows of a list, null if unknown, and when they were counted (ISO 8601). */
type Counted = { total: number | null; as_of?: string } | 'pending';

/** "12,345 in total, counted 20 s ago" or "total unknown" */
function formatTotal(counted: Counted, now: number): string {
  if (counted === 'pending') return 'counting…';
  if (counted.total === null) return 'total unknown';
  const age = counted.as_of && `, counted ${formatAge(now - Date.parse(counted.as_of))}`;
  return `${digits(counted.total)} in total${age ?? ''}`;
}

/** `, people as of 21:38`, and `, 12,000 of 30,000 read so far` of an index that has not read the whole store. */
function formatReading({ complete, read, asOf }: Matches, what: string, all: number | null, now: number) {
  const time = asOf === null ? '' : `, ${what} as of ${timeOfDay(new Date(asOf), now)}`;
  if (complete) return time;
  if (read === undefined) return `${time}, not all have been read`;
  return `${time}, ${all === null ? digits(read) : `${digits(read)} of ${digits(all)}`} read so far`;
}

/** Explains a table's keys and order. */
export const KeyLegend = ({ order }: { order?: string | undefined }) => (
  <Text size="xs" c="dimmed" mt="xs" className={classes.onlyWide} data-unprinted>
    In the table: <Kbd size="xs">j</Kbd> <Kbd size="xs">k</Kbd> move, <Kbd size="xs">Enter</Kbd> opens,{' '}
    <Kbd size="xs">x</Kbd> selects, <Kbd size="xs">Shift</Kbd> with an arrow or a click selects a range,{' '}
    <Kbd size="xs">n</Kbd> <Kbd size="xs">p</Kbd> next and previous page. {order}
  </Text>
);

/** How old the list is, and a button, with the key `r`, that loads it again. */
function Refresh() {
  const { readAt, reload, fetching, pending } = useList();
  const now = useNow(AGE_STEP_MS);
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== 'r' || ctrlKey || metaKey || altKey || isTyping(target)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const updated = readAt > 0 && `updated ${formatAge(now - readAt)}`;
  return (
    <Group gap="xs" wrap="nowrap">
      {updated && (
        <Text size="xs" c="dimmed" className={`${classes.age} ${classes.notOnPhone}`}>
          {updated}
        </Text>
      )}
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Refresh"
        title={updated ? `Refresh (r): ${updated}` : 'Refresh (r)'}
        aria-keyshortcuts="r"
        loading={fetching && !pending}
        onClick={reload}
      >
        <IconRefresh />
      </ActionIcon>
    </Group>
  );
}
