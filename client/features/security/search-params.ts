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
export const filterIn = (search: Record<string, unknown>): AuditFilter => textsIn(search, FILTER_NAMES);

/** The non-empty texts among these parameters. */
export function textsIn<Name extends string>(search: Record<string, unknown>, names: readonly Name[]) {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = typeof search[name] === 'string' ? search[name].trim() : '';
    if (text !== '') texts[name] = text;
  }
  return texts;
}

/** Whether any filter other than `changes` is active. */
export const isFiltered = ({ changes: _, ...filter }: AuditFilter): boolean => Object.keys(filterIn(filter)).length > 0;
