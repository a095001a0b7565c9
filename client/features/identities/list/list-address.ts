import { PAGE_SIZE_DEFAULT } from '../../../../shared/identities.ts';

export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** The list's state that a link carries. */
export interface IdentitiesSearch {
  /** Exact login identifier. */
  identifier?: string;
  /** Absent for the default. */
  page_size?: number;
}

/** The page within the list: cursors are of this browser's walk and stand in the history entry, not in the link. */
export interface PageStep {
  /** The cursor of the page. */
  token: string;
  /** Identities on the pages before it. */
  before: number;
}

export function identitiesSearch(search: Record<string, unknown>): IdentitiesSearch {
  const identifier = typeof search.identifier === 'string' ? search.identifier.trim() : '';
  const size = PAGE_SIZES.find((allowed) => String(allowed) === search.page_size || allowed === search.page_size);
  return {
    ...(identifier === '' ? {} : { identifier }),
    ...(size === undefined || size === PAGE_SIZE_DEFAULT ? {} : { page_size: size }),
  };
}

/** The question of the page that this address and history entry stand for. */
export const pageQuestion = ({ identifier, page_size }: IdentitiesSearch, pages: readonly PageStep[]) => ({
  pageSize: page_size ?? PAGE_SIZE_DEFAULT,
  identifier,
  token: pages.at(-1)?.token,
});
