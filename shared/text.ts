/** Letters that have no plain letter as a part. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

/**
 * Text as it is compared: case and accents aside, without control characters. Compatibility forms (full-width letters,
 * ligatures) equal their plain ones, and so do the apostrophes that word processors set.
 */
export function fold(text: string): string {
  return text
    .replace(/[‘’ʼ´`′]/g, "'")
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/\p{Cc}+/gu, ' ')
    .toLowerCase()
    .replace(/[ßæœøłđı]/g, (letter) => PLAIN[letter] ?? letter)
    .trim();
}

/** What stands between words, on both sides: also what mail programs and tables put around an address. */
const BETWEEN = /[\s,;<>"“”„«»]+/u;
/** What stands around a whole text that was pasted. */
const AROUND = /^[\s,;<>"'“”„«»]+|(?<![\s,;<>"'“”„«»])[\s,;<>"'“”„«»]+$/gu;
const MAILTO = /^mailto:/i;
const NUMBER = /^[+(]?[\d\s()./\u2010-\u2015-]+$/u;
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/;
/** Of a telephone number. */
const DIGITS_MIN = 7;
const DIGITS_MAX = 17;

const digitsIn = (text: string): string => text.replace(/\D/g, '');

/** The words of something that can be found, each once; a telephone number also without its gaps. */
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
 * The words of a question, of which each must be found somewhere, in any order. A telephone number is one word, its digits
 * without the prefixes for long distances: national and international spellings find each other.
 */
export function questionWords(typed: string): readonly string[] {
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

/** Whether each word of a question is found: any part of a word, or its beginning by one or two characters. */
export const isFoundBy = (words: readonly string[], asked: readonly string[]): boolean =>
  asked.every((part) =>
    [...part].length < 3 ? words.some((word) => word.startsWith(part)) : words.some((word) => word.includes(part)),
  );

/** Whether each word of a question is any part of a text. */
export function hasWords(text: string, asked: readonly string[]): boolean {
  const folded = fold(text);
  return asked.every((part) => folded.includes(part));
}

/** A whole identifier as it was pasted, without what stands around it or between the digits of a telephone number. */
export function bareIdentifier(pasted: string): string {
  const bare = pasted.replace(AROUND, '').replace(MAILTO, '');
  return bare.startsWith('+') && NUMBER.test(bare) ? `+${digitsIn(bare.replace('(0)', ''))}` : bare || pasted;
}

// A run is matched only from its start: matching from each character would be quadratic.

/** A URL with a scheme, matched whole, since it may contain credentials. */
export const ADDRESS_PATTERN = /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/[^\s"'<>`)\]}]+/gi;

/**
 * What names a host in foreign text, in the order of redaction. When in doubt, it matches. Each takes linear time,
 * whatever the text.
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
