/**
 * Characters that are not seen and change what is: controls, marks and overrides of the direction, separators of lines,
 * blanks without a width, tags. Joiners stay: scripts and emoji need them.
 */
export const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Somebody else's text for one line of a screen: what would not be seen stands by its number, `⟨U+202E⟩`. */
export const visibleText = (text: string): string => text.replace(UNSEEN, (character) => `⟨U+${codePoint(character)}⟩`);

/** The same for text of many lines: their breaks and tabs stay. */
export const visibleLines = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : visibleText(part)))
    .join('');

const codePoint = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
