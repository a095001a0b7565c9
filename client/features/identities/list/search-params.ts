import { type PagedSearch, pagedSearch } from '../../../resource/list/page-step.ts';

/** The list's state that a link carries. */
export interface IdentitiesSearch extends PagedSearch {
  /** Exact login identifier. */
  identifier?: string;
  /** The beginning of one; a whole one goes before it. */
  prefix?: string;
}

export function identitiesSearch(search: Record<string, unknown>): IdentitiesSearch {
  const identifier = textIn(search.identifier);
  const prefix = textIn(search.prefix);
  return {
    ...(identifier !== '' ? { identifier } : prefix !== '' ? { prefix } : {}),
    ...pagedSearch(search),
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** What is searched for, as it is typed: a star stands for whatever follows. */
export const typedSearch = ({ identifier, prefix }: IdentitiesSearch): string =>
  identifier ?? (prefix === undefined ? '' : `${prefix}*`);

/** The same the other way round: what a search for this text leaves of the one before. */
export function searchFor(text: string, before: IdentitiesSearch): IdentitiesSearch {
  const { identifier: _identifier, prefix: _prefix, ...rest } = before;
  const beginning = /^(.*[^*])\*+$/.exec(text)?.[1]?.trim();
  if (beginning) return { ...rest, prefix: beginning };
  return text === '' ? rest : { ...rest, identifier: text };
}
