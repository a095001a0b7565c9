import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';

/** Trimmed text of an address that the service's searches accept; undefined for any other value. */
export function searchText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\p{Cc}+/gu, ' ').trim();
  return text !== '' && [...text].length <= SEARCH_MAX_CHARACTERS ? text : undefined;
}
