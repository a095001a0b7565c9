import type { AuditFilter } from '../../api/audit.ts';
import { type PagedSearch, pagedSearch } from '../../list/resource.ts';

const FILTER_NAMES = ['action', 'actor', 'subject', 'from', 'to', 'changes'] as const satisfies (keyof AuditFilter)[];

/**
 * The search parameters of the audit trail. Values are not checked, since the service reports invalid ones. Without a
 * filter, only changes are shown. With one, a URL without `changes` means all records, as in earlier versions.
 */
export function auditSearch(search: Record<string, unknown>): AuditFilter & PagedSearch {
  const filter = filterIn(search);
  return { ...(Object.keys(filter).length === 0 ? { changes: 'true' } : filter), ...pagedSearch(search) };
}

/** The non-empty filters. */
export function filterIn(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of FILTER_NAMES) {
    const text = typeof search[name] === 'string' ? search[name].trim() : '';
    if (text !== '') filter[name] = text;
  }
  return filter;
}

/** Whether any filter other than `changes` is active. */
export const isFiltered = ({ changes: _, ...filter }: AuditFilter): boolean => Object.keys(filterIn(filter)).length > 0;

/** The search parameter of the locked accounts: part of an identifier. */
export function locksSearch({ q }: Record<string, unknown>): { q?: string } {
  const text = typeof q === 'string' ? q.trim() : '';
  return text === '' ? {} : { q: text };
}
