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

/** Unlike a disabled button, the button keeps focus when there is no page in its direction. */
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

/** Page and rows, announced on change, and the total, whose age changes constantly and is not announced. */
export const PageLine = ({ status, children }: { status: string; children?: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div" me="auto" className={classes.line}>
    <span role="status">{status}</span>
    {children}
  </Text>
);

/**
 * Total of a list, and the age of its search index.
 * @param what the index contains: `people`
 * @param counted undefined in a search: the page line has the number
 * @param all total number of rows to index, if known
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
 * The index's information about a search; otherwise the count from the statistics, or on the last page the number of
 * rows.
 */
export function TotalAtEnd({ what, countIn }: { what: string; countIn?: CountIn }) {
  const { loaded } = useList();
  const counted = useCounted(countIn);
  const matches = loaded?.page.matches;
  if (matches !== undefined) return <Total what={what} matches={matches} />;
  // Not longer than the text that this replaces: the line would wrap and move the list.
  if (counted !== undefined)
    return (
      <span title={`As of ${timeOfDay(new Date(counted.as_of), Date.now())}`}>, {digits(counted.total)} in total</span>
    );
  const isLast = loaded !== undefined && loaded.page.next === undefined;
  const total = isLast ? (loaded.pages.at(-1)?.before ?? 0) + loaded.page.rows.length : null;
  return <Total what={what} counted={{ total }} />;
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
  const before = pages.at(-1)?.before ?? 0;
  const matches = searched && page.matches ? `, ${formatMatches(page.matches.total)}` : '';
  const range = rows === 1 ? `row ${digits(before + 1)}` : `rows ${digits(before + 1)}–${digits(before + rows)}`;
  return `Page ${digits(pages.length + 1)}, ${range}${matches}`;
}

const formatMatches = (total: number | null): string =>
  total === null ? 'more than 10,000 match' : `${digits(total)} match`;

/** Number of rows (null if unknown), and when they were counted (ISO 8601). */
type Counted = { total: number | null; as_of?: string } | 'pending';

/** "12,345 in total, counted 20 s ago" or "total unknown" */
function formatTotal(counted: Counted, now: number): string {
  if (counted === 'pending') return 'counting…';
  if (counted.total === null) return 'total unknown';
  const age = counted.as_of && `, counted ${formatAge(now - Date.parse(counted.as_of))}`;
  return `${digits(counted.total)} in total${age ?? ''}`;
}

/** `, people as of 21:38`, and `, 12,000 of 30,000 read so far` while the index is incomplete. */
function formatReading({ complete, read, asOf }: Matches, what: string, all: number | null, now: number) {
  const time = asOf === null ? '' : `, ${what} as of ${timeOfDay(new Date(asOf), now)}`;
  if (complete) return time;
  if (read === undefined) return `${time}, not all have been read`;
  return `${time}, ${all === null ? digits(read) : `${digits(read)} of ${digits(all)}`} read so far`;
}

/** Explains a table's keys and order. */
export const KeyLegend = ({ order }: { order?: string | undefined }) => (
  <Text size="xs" c="dimmed" mt="xs" className={classes.onlyWide} data-unprinted>
    In the table: <Kbd>j</Kbd> <Kbd>k</Kbd> move, <Kbd>Enter</Kbd> opens, <Kbd>x</Kbd> selects, <Kbd>Shift</Kbd> with an
    arrow or a click selects a range, <Kbd>n</Kbd> <Kbd>p</Kbd> next and previous page. {order}
  </Text>
);

/** The age of the list and a button, also on the key `r`, that reloads the list. */
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
        size="xs"
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
