import type { AuditFilter } from '../../api/audit.ts';
import { type PagedSearch, pagedSearch } from '../../list/cursor-list.ts';

const FILTER_NAMES = ['action', 'actor', 'subject', 'from', 'to', 'changes'] as const satisfies (keyof AuditFilter)[];

/** The audit trail's search parameters, unchecked: the service reports invalid ones. */
export const auditSearch = (search: Record<string, unknown>): AuditFilter & PagedSearch => ({
  ...filterIn(search),
  ...pagedSearch(search),
});

/** The non-empty filters. */
export function filterIn(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of FILTER_NAMES) {
    const text = typeof search[name] === 'string' ? search[name].trim() : '';
    if (text !== '') filter[name] = text;
  }
  return filter;
}

export const isFiltered = (filter: AuditFilter): boolean => FILTER_NAMES.some((name) => filter[name] !== undefined);

/** The search parameter of the locked accounts: part of an identifier. */
export function locksSearch({ q }: Record<string, unknown>): { q?: string } {
  const text = typeof q === 'string' ? q.trim() : '';
  return text === '' ? {} : { q: text };
}
