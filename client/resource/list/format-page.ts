import { digits } from '../../format/counted.ts';
import type { ResourceName } from '../define-resource.ts';
import type { PageParams, ShownPage } from './shown-page.ts';

/** "Page 3, rows 51–75"; of a search that fits one page only how many match. */
export function formatPage(
  { pages, page }: Pick<ShownPage<unknown, PageParams>, 'pages' | 'page'>,
  { one, many }: Pick<ResourceName, 'one' | 'many'>,
  searched: boolean,
): string {
  const rows = page.rows.length;
  if (searched && pages.length === 0 && page.next === undefined)
    return rows === 1 ? `1 ${one} matches` : `${digits(rows)} ${many} match`;
  const before = pages.at(-1)?.before ?? 0;
  const range = rows === 1 ? `row ${digits(before + 1)}` : `rows ${digits(before + 1)}–${digits(before + rows)}`;
  return `Page ${digits(pages.length + 1)}, ${range}`;
}

/** How many rows a list has, and when they were counted, ISO 8601; null when its service does not say. */
export interface CountedTotal {
  total: number | null;
  as_of: string;
}

/** "12,345 in total, counted 20 s ago", or that it is not known. */
export function formatTotal(total: CountedTotal | undefined, now: number): string {
  if (total === undefined || total.total === null) return 'total not known';
  return `${digits(total.total)} in total, counted ${formatAge(now - Date.parse(total.as_of))}`;
}

/** The clocks of server and browser may disagree by a little: never in the future. */
function formatAge(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (!(seconds >= 5)) return 'just now';
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
