/** Letters that Unicode does not decompose into a plain letter and an accent. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ς: 'σ' };

/**
 * Normalizes text for comparison: removes case, accents and control characters. Compatibility forms (full-width
 * letters, ligatures) and typographic apostrophes become plain ones.
 */
export function fold(text: string): string {
  return text
    .replace(/[‘’ʼ´`′]/g, "'")
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/\p{Cc}+/gu, ' ')
    .toLowerCase()
    .replace(/[ßæœøłđıς]/g, (letter) => PLAIN[letter] ?? letter)
    .trim();
}

/** Separators of words, including characters that mail programs and tables put around an address. */
const BETWEEN = /[\s,;<>"“”„«»]+/u;
/** Characters to strip from both ends of pasted text. */
const AROUND = /^[\s,;<>"'“”„«»]+|(?<![\s,;<>"'“”„«»])[\s,;<>"'“”„«»]+$/gu;
const MAILTO = /^mailto:/i;
const NUMBER = /^[+(]?[\d\s()./\u2010-\u2015-]+$/u;
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/;
const DIGITS_MIN = 7;
const DIGITS_MAX = 17;

const digitsIn = (text: string): string => text.replace(/\D/g, '');

/** The searchable words of texts, without duplicates. A telephone number is also included as its digits. */
export function wordsOf(texts: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    const folded = fold(text);
    for (const word of folded.split(BETWEEN)) if (word !== '') words.add(word);
    const digits = NUMBER.test(folded) ? digitsIn(folded) : '';
    if (digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX) words.add(digits);
  }
  return [...words];
}

/**
 * The words of a search, all of which must be found, in any order. A telephone number is one word: its digits without
 * leading zeros, so that national and international spellings find each other.
 */
export function searchTerms(typed: string): readonly string[] {
  const folded = fold(typed).replace(AROUND, '');
  if (/^[+(0]/.test(folded) && NUMBER.test(folded) && !DATE.test(folded)) {
    const digits = digitsIn(folded.replace('(0)', '')).replace(/^0+/, '');
    if (digits.length >= 3 && digits.length <= DIGITS_MAX) return [digits];
  }
  const words = folded
    .split(BETWEEN)
    .map((word) => word.replace(MAILTO, ''))
    .filter((word) => word !== '');
  return [...new Set(words)];
}

/** Whether each search word is part of one of the words, or its beginning if it has only one or two characters. */
export const isFoundBy = (words: readonly string[], searched: readonly string[]): boolean =>
  searched.every((part) =>
    [...part].length < 3 ? words.some((word) => word.startsWith(part)) : words.some((word) => word.includes(part)),
  );

export function hasWords(text: string, searched: readonly string[]): boolean {
  const folded = fold(text);
  return searched.every((part) => folded.includes(part));
}

/** A pasted identifier without surrounding characters, and without gaps if it is a telephone number. */
export function bareIdentifier(pasted: string): string {
  const bare = pasted.replace(AROUND, '').replace(MAILTO, '');
  return bare.startsWith('+') && NUMBER.test(bare) ? `+${digitsIn(bare.replace('(0)', ''))}` : bare || pasted;
}

// The lookbehinds let a run of characters match only from its start: trying every character would take quadratic time.

/** A whole URL with a scheme, since any part of it may be a credential. */
export const ADDRESS_PATTERN = /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/[^\s"'<>`)\]}]+/gi;

/**
 * Patterns for host names and addresses in text from elsewhere, in the order of redaction. They match too much rather
 * than too little, each in linear time.
 */
export const HOST_PATTERNS: readonly RegExp[] = [
  // IP addresses with or without a port: version 4, then 6.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])(?:%\w+)?(?:\](?::\d+)?)?/gi,
  // Hosts: `name:4434`, the name after `lookup`, and dotted names.
  /(?<![\w.-])(?:[\w.-]*[a-z0-9]:\d{2,5}\b)+/gi,
  /(?<=\blookup )\S+/gi,
  /(?<![\w.-])[\w.-]*[a-z0-9]\.[a-z][a-z0-9-]+\b(?:[\w.-]*\w)?/gi,
];
