/** Marks the beginning of each text of a person: a phrase of one or two characters after it finds texts that begin so. */
const BEGIN = '\u0002\u0002';

/** The document of a person in the full-text index, of folded texts: none can imitate `BEGIN`. */
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

/** Of three characters each, they leave out nothing of a text of 36 characters. */
const TRIGRAMS = 12;

/**
 * An FTS5 query for documents that may contain what is sought: they have some of its trigrams, in any order. A phrase would
 * be exact, but the time it takes is the square of the length of a name that is one letter repeated.
 * @param sought as of `soughtFor`; the trigram tokenizer counts code points, too
 */
export function trigramsOf(sought: string): string {
  const characters = [...sought];
  const all = [...new Set(characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`))];
  const most = Math.min(all.length, TRIGRAMS);
  const spread = Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1 || 1))]);
  return spread.map((trigram) => `"${trigram?.replaceAll('"', '""')}"`).join(' AND ');
}
