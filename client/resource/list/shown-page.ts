import type { CursorPage } from '../../api/cursor-page.ts';
import type { PageStep } from './page-step.ts';

/** Parameters of a list page's query, besides those that the resource searches by. */
export interface PageParams {
  pageSize: number;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/** A page that has loaded, with the pages visited before it. */
export interface ShownPage<T, Params extends PageParams> {
  params: Params;
  pages: readonly PageStep[];
  page: CursorPage<T>;
}

/** The next page. A cursor that was already visited would lead in circles. */
export function nextStep(
  shown: Pick<ShownPage<unknown, PageParams>, 'page' | 'pages'> | undefined,
): PageStep | undefined {
  if (shown === undefined) return undefined;
  const { page, pages } = shown;
  const token = page.next;
  if (token === undefined || pages.some((walked) => walked.token === token)) return undefined;
  return { token, before: (pages.at(-1)?.before ?? 0) + page.rows.length };
}

export const sameParams = (a: PageParams, b: PageParams): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether both are pages of the same list. */
export const sameList = (a: PageParams, b: PageParams): boolean =>
  JSON.stringify({ ...a, token: undefined }) === JSON.stringify({ ...b, token: undefined });
