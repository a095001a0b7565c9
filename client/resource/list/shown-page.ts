import type { CursorPage } from '../../api/cursor-page.ts';
import type { PageStep } from './page-step.ts';

/** What a page of a list is asked by: its size, its cursor, and whatever the resource searches by. */
export interface PageParams {
  pageSize: number;
  /** The cursor that the page before named; undefined for the first page. */
  token: string | undefined;
}

/** A page that has arrived, and where it stands in the walk. */
export interface ShownPage<T, Params extends PageParams> {
  params: Params;
  pages: readonly PageStep[];
  page: CursorPage<T>;
}

/** The page after this one. A cursor that was walked already would lead round in a circle. */
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

/** Whether two questions are for pages of one and the same list. */
export const sameList = (a: PageParams, b: PageParams): boolean =>
  JSON.stringify({ ...a, token: undefined }) === JSON.stringify({ ...b, token: undefined });
