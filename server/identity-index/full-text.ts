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

/** The FTS5 phrase for the same; the trigram tokenizer counts code points, too. */
export const phraseFor = (folded: string): string => `"${soughtFor(folded).replaceAll('"', '""')}"`;
