/** Marks the beginning of each word: a phrase of one or two characters after it finds words that begin so. */
const BEGIN = '\u0002\u0002';

/** The document of a person or client in the index, of folded words: none can imitate `BEGIN`. */
export const documentOf = (words: readonly string[]): string => {
  let document = '';
  for (const word of words) document += BEGIN + word;
  return document;
};

/**
 * What a document contains if the words of a question are found in it: of each any part, if it has three characters or
 * more, else the beginning of a word.
 */
export const soughtFor = (words: readonly string[]): readonly string[] =>
  words.map((word) => {
    const { length } = [...word];
    return length >= 3 ? word : BEGIN.slice(length - 1) + word;
  });

/** A condition in SQL, with a value for each of them. */
export const isInDocument = (sought: readonly string[], column = 'document'): string =>
  sought.map(() => `instr(${column}, ?) > 0`).join(' and ') || 'true';

/** Of three characters each, they leave out nothing of 36 characters. */
const TRIGRAMS = 12;

/**
 * An FTS5 query for documents that may contain what is sought: they have some of its trigrams, in any order. A phrase would
 * be exact, but the time it takes is the square of the length of a name that is one letter repeated.
 * @param sought as of `soughtFor`; the trigram tokenizer counts code points, too
 */
export function trigramsOf(sought: readonly string[]): string {
  const each = sought.flatMap((one) => {
    const characters = [...one];
    return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
  });
  const all = [...new Set(each)];
  const most = Math.min(all.length, TRIGRAMS);
  const spread = Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1 || 1))]);
  return spread.map((trigram) => `"${trigram?.replaceAll('"', '""')}"`).join(' AND ');
}
