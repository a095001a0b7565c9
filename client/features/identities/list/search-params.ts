import { type PagedSearch, pagedSearch } from '../../../resource/list/page-step.ts';

/** Search parameters of the list. */
export interface IdentitiesSearch extends PagedSearch {
  /** Exact login identifier. */
  identifier?: string;
  /** The beginning of a login identifier; ignored if `identifier` is set. */
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

/** The search as the operator types it: a trailing star makes it a prefix search. */
export const typedSearch = ({ identifier, prefix }: IdentitiesSearch): string =>
  identifier ?? (prefix === undefined ? '' : `${prefix}*`);

/** The reverse: the search parameters for a typed text, keeping other parameters. */
export function searchFor(text: string, before: IdentitiesSearch): IdentitiesSearch {
  const { identifier: _identifier, prefix: _prefix, ...rest } = before;
  const beginning = /^(.*[^*])\*+$/.exec(text)?.[1]?.trim();
  if (beginning) return { ...rest, prefix: beginning };
  return text === '' ? rest : { ...rest, identifier: text };
}
