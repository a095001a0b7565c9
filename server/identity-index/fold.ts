/** Marks the beginning of each text of a person: a phrase of one or two characters after it finds texts that begin so. */
const BEGIN = '\u0002\u0002';

/**
 * Text as it is compared: case and accents aside, without control characters, so that no text can imitate `BEGIN`.
 * Compatibility forms (full-width letters, ligatures) equal their plain ones.
 */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/\p{Cc}+/gu, ' ')
    .toLowerCase()
    .trim();
}

/** The document of a person in the full-text index. */
export const documentOf = (texts: Iterable<string>): string => {
  let document = '';
  for (const text of texts) document += BEGIN + text;
  return document;
};

/** What a document contains if folded text is found: any part of three characters and more, shorter ones as beginnings. */
export function soughtFor(folded: string): string {
  const length = [...folded].length;
  return length >= 3 ? folded : BEGIN.slice(length - 1) + folded;
}

/** The FTS5 phrase for the same; the trigram tokenizer counts code points, too. */
export const phraseFor = (folded: string): string => `"${soughtFor(folded).replaceAll('"', '""')}"`;

/** Whether one of the folded texts is found by folded text: what `phraseFor` asks of the index. */
export function isFoundBy(texts: Iterable<string>, folded: string): boolean {
  const short = [...folded].length < 3;
  for (const text of texts) if (short ? text.startsWith(folded) : text.includes(folded)) return true;
  return false;
}
