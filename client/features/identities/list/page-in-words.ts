import type { IdentityTotal } from '../../../../shared/identities.ts';
import type { ShownPage } from './shown-page.ts';

const number = new Intl.NumberFormat('en');

/** "Page 3, rows 51–75"; of a search that fits one page only how many match. */
export function pageInWords({ question, pages, page }: ShownPage): string {
  const rows = page.identities.length;
  if (question.identifier !== undefined && pages.length === 0 && !page.has_more)
    return rows === 1 ? '1 identity matches' : `${number.format(rows)} identities match`;
  const before = pages.at(-1)?.before ?? 0;
  const range =
    rows === 1
      ? `row ${number.format(before + 1)}`
      : `rows ${number.format(before + 1)}–${number.format(before + rows)}`;
  return `Page ${number.format(pages.length + 1)}, ${range}`;
}

/** "12,345 in total, counted 20 s ago", or that it is not known. */
export function totalInWords(total: IdentityTotal | undefined, now: number): string {
  if (total === undefined || total.total === null) return 'total not known';
  return `${number.format(total.total)} in total, counted ${ageInWords(now - Date.parse(total.as_of))}`;
}

/** The clocks of server and browser may disagree by a little: never in the future. */
function ageInWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (!(seconds >= 5)) return 'just now';
  if (seconds < 90) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}
