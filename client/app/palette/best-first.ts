import { SEARCH_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { fold, hasWords, searchTerms } from '../../../shared/text.ts';

/** Fewer find too much, and each search for people is recorded. */
const MIN_CHARACTERS = 3;

/**
 * The text to search for. A star at its end is dropped: any part matches anyway.
 * @returns undefined if it is too short or too long
 */
export function searchTextIn(typed: string): string | undefined {
  const text = typed
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .replace(/(?<=[^*])\*+$/, '')
    .trim();
  const { length } = [...text];
  return length >= MIN_CHARACTERS && length <= SEARCH_MAX_CHARACTERS ? text : undefined;
}

/** How well something matches: the smaller, the better. */
export type Fit = 0 | 1 | 2;
const EXACT: Fit = 0;
const BEGINNING: Fit = 1;
const PART: Fit = 2;

/**
 * Whether a text is the whole of an identifier, the beginning of it or of another text, or a part of anything. Case and
 * accents do not matter, as in the service.
 */
export function fitOf(text: string, identifier: string | undefined, others: readonly string[] = []): Fit {
  const whole = fold(identifier ?? '');
  const beginnings = [fold(text), ...searchTerms(text).slice(0, 1)];
  if (beginnings.includes(whole)) return EXACT;
  return [whole, ...others.map(fold)].some((other) => beginnings.some((one) => other.startsWith(one)))
    ? BEGINNING
    : PART;
}

/** Sorted by how well they match, otherwise in their order. */
export const bestFirst = <T extends { fit: Fit }>(things: readonly T[]): T[] =>
  things.toSorted((one, other) => one.fit - other.fit);

/** The first text with a searched word that no visible text contains: why something was found. */
export function hiddenMatch(texts: readonly string[], visible: readonly string[], search: string): string | undefined {
  const hidden = searchTerms(search).filter((word) => !visible.some((text) => hasWords(text, [word])));
  return texts.find((text) => hidden.some((word) => hasWords(text, [word])));
}

/** Deeper traits are not searched. */
const DEPTH_MAX = 8;

/** Every text in an identity's traits. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return [];
  return Object.values(value).flatMap((member) => textsIn(member, depth + 1));
}
