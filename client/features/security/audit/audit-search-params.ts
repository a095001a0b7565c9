import type { AuditFilter } from '../../../api/audit.ts';
import { type PagedSearch, pagedSearch } from '../../../resource/list/page-step.ts';

/** The search parameters of the trail. Texts are kept as they are: the service says what is wrong with them. */
export interface AuditSearch extends PagedSearch, AuditFilter {}

export const FILTER_NAMES = [
  'action',
  'actor',
  'subject',
  'from',
  'to',
  'changes',
] as const satisfies (keyof AuditFilter)[];

export const auditSearch = (search: Record<string, unknown>): AuditSearch => ({
  ...filterIn(search),
  ...pagedSearch(search),
});

/** The filters that are not empty. */
export function filterIn(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of FILTER_NAMES) {
    const text = typeof search[name] === 'string' ? search[name].trim() : '';
    if (text !== '') filter[name] = text;
  }
  return filter;
}

export const isFiltered = (filter: AuditFilter): boolean => FILTER_NAMES.some((name) => filter[name] !== undefined);
