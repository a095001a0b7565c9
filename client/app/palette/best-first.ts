import { SEARCH_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { fold, hasWords, searchTerms } from '../../../shared/text.ts';

/** Fewer find too much to be worth a question, and each question about people is recorded. */
const ASKED_FROM = 3;

/**
 * What is asked for a typed text: any part is found anyway, so a star at its end says nothing more.
 * @returns undefined for a text that is too short or too long to be asked
 */
export function questionIn(typed: string): string | undefined {
  const text = typed
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .replace(/(?<=[^*])\*+$/, '')
    .trim();
  const { length } = [...text];
  return length >= ASKED_FROM && length <= SEARCH_MAX_CHARACTERS ? text : undefined;
}

/** How well something fits: a smaller number fits better. */
export type Fit = 0 | 1 | 2;
const EXACT: Fit = 0;
const BEGINNING: Fit = 1;
const PART: Fit = 2;

/**
 * Whether a text is the whole of an identifier, the beginning of it or of another text, or a part of anything; case and
 * accents aside, as the service compares.
 */
export function fitOf(text: string, identifier: string | undefined, others: readonly string[] = []): Fit {
  const whole = fold(identifier ?? '');
  const wanted = [fold(text), ...searchTerms(text).slice(0, 1)];
  if (wanted.includes(whole)) return EXACT;
  return [whole, ...others.map(fold)].some((other) => wanted.some((one) => other.startsWith(one))) ? BEGINNING : PART;
}

/** The same things with those that fit best first, otherwise in their order. */
export const bestFirst = <T extends { fit: Fit }>(things: readonly T[]): T[] =>
  things.toSorted((one, other) => one.fit - other.fit);

/** Why something was found, if what is shown of it does not say so: the first text with a word that is not in that. */
export function unshownReason(texts: readonly string[], shown: readonly string[], asked: string): string | undefined {
  const missing = searchTerms(asked).filter((word) => !shown.some((text) => hasWords(text, [word])));
  return texts.find((text) => missing.some((word) => hasWords(text, [word])));
}

/** Deeper traits are not searched. */
const DEPTH_MAX = 8;

/** Every text in an identity's traits. */
export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return [];
  return Object.values(value).flatMap((member) => textsIn(member, depth + 1));
}
