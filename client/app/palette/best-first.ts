import { fold, hasWords, searchTerms } from '../../../shared/text.ts';
import { searchText } from '../../lib/visible-text.ts';

/** Shorter texts match too much, and each search for identities leaves an audit record. */
const MIN_CHARACTERS = 3;

/**
 * The text to search for, without a trailing star, which is redundant here.
 * @returns undefined if the text is too short or too long
 */
export function searchTextIn(typed: string): string | undefined {
  const text = (searchText(typed) ?? '').replace(/(?<=[^*])\*+$/, '').trim();
  return [...text].length >= MIN_CHARACTERS ? text : undefined;
}

/** Quality of a match; lower is better. */
export type Fit = 0 | 1 | 2;
const EXACT: Fit = 0;
const BEGINNING: Fit = 1;
const PART: Fit = 2;

/**
 * Ranks a match: a whole identifier, the beginning of any text, or a part. Ignores case and accents, as the service
 * does.
 */
export function fitOf(text: string, identifier: string | undefined, others: readonly string[] = []): Fit {
  const whole = fold(identifier ?? '');
  const beginnings = [fold(text), ...searchTerms(text).slice(0, 1)];
  if (beginnings.includes(whole)) return EXACT;
  return [whole, ...others.map(fold)].some((other) => beginnings.some((one) => other.startsWith(one)))
    ? BEGINNING
    : PART;
}

/** Best match first; equal matches keep their order. */
export const bestFirst = <T extends { fit: Fit }>(things: readonly T[]): T[] =>
  things.toSorted((one, other) => one.fit - other.fit);

/** The first text that contains a search word missing from the visible texts. It explains the match. */
export function hiddenMatch(texts: readonly string[], visible: readonly string[], search: string): string | undefined {
  const hidden = searchTerms(search).filter((word) => !visible.some((text) => hasWords(text, [word])));
  return texts.find((text) => hidden.some((word) => hasWords(text, [word])));
}

/** Traits nested more deeply are not searched. */
const DEPTH_MAX = 8;

/** All texts in an identity's traits. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return [];
  return Object.values(value).flatMap((member) => textsIn(member, depth + 1));
}
