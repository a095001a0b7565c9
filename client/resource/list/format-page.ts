import type { Matches } from '../../api/cursor-page.ts';
import { digits } from '../../format/counted.ts';
import { timeOfDay } from '../../format/english-time.ts';
import type { ResourceName } from '../define-resource.ts';
import type { PageParams, ShownPage } from './shown-page.ts';

/** "Page 3, rows 51–75", in a search also how many match; "12 identities match" where they are all on the page. */
export function formatPage(
  { pages, page }: Pick<ShownPage<unknown, PageParams>, 'pages' | 'page'>,
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
export interface CountedTotal {
  total: number | null;
  as_of: string;
}

/** "12,345 in total, counted 20 s ago" or "total unknown" */
export function formatTotal(total: CountedTotal | undefined, now: number): string {
  if (total === undefined || total.total === null) return 'total unknown';
  return `${digits(total.total)} in total, counted ${formatAge(now - Date.parse(total.as_of))}`;
}

/** `, people as of 21:38`, and `, 12,000 of 30,000 read so far` of an index that has not read the whole store. */
export function formatReading({ complete, read, asOf }: Matches, what: string, all: number | null, now: number) {
  const known = asOf === null ? '' : `, ${what} as of ${timeOfDay(new Date(asOf), now)}`;
  if (complete) return known;
  if (read === undefined) return `${known}, not all have been read`;
  return `${known}, ${all === null ? digits(read) : `${digits(read)} of ${digits(all)}`} read so far`;
}

/** Never in the future, although the clocks of server and browser may differ slightly. */
function formatAge(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (!(seconds >= 5)) return 'just now';
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
