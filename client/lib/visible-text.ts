import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';

/**
 * Invisible characters that change how a text reads: controls, directional marks and overrides, line separators,
 * zero-width spaces, tags. Joiners are allowed, since scripts and emoji need them.
 */
export const INVISIBLE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Untrusted text for one line; invisible characters become code points, `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(INVISIBLE, (character) => `⟨U+${codePoint(character)}⟩`);

/** Trims a text, also of invisible characters, which address books put around numbers. */
export const withoutBlanks = (text: string): string => text.replace(/^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu, '');

export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const SHORT_MAX = 60;

/** A name for a title or a toast, with at most 60 characters. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length > SHORT_MAX ? `${characters.slice(0, SHORT_MAX - 1).join('')}…` : name;
}

/** Untrusted multi-line text: line breaks and tabs stay. */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visibleText(part)))
    .join('');

const codePoint = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** A value as formatted JSON with invisible characters escaped, so that it remains the same JSON. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(INVISIBLE, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );

/** @param unit a UTF-16 code unit; characters beyond the BMP consist of two */
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A search text from the URL, trimmed; undefined if the search endpoints would reject it. */
export function searchText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(/\p{Cc}+/gu, ' ').trim();
  return text !== '' && [...text].length <= SEARCH_MAX_CHARACTERS ? text : undefined;
}
