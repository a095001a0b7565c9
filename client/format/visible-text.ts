/**
 * Invisible characters that change what is read: controls, directional marks and overrides, line separators,
 * zero-width spaces, tags. Joiners stay: scripts and emoji need them.
 */
export const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Untrusted text for one line; invisible characters are shown by code point, `⟨U+202E⟩`. */
export const visibleText = (text: string): string => text.replace(UNSEEN, (character) => `⟨U+${codePoint(character)}⟩`);

/** The same for multi-line text: line breaks and tabs stay. */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visibleText(part)))
    .join('');

const codePoint = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
