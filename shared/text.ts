import { attempt, UUID } from './json.ts';

/** Letters that Unicode does not decompose into a plain letter and an accent. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ς: 'σ' };

/** Accents, Hebrew points, Arabic vowel marks with the tatweel, and invisible characters. */
const MARKS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\p{Cf}\p{DI}]/gu;

/**
 * Normalizes text for comparison: removes case, accents, vowel points and characters that are not visible.
 * Compatibility forms (full-width letters, ligatures) and typographic apostrophes become plain ones. Vowel signs of
 * Indic scripts and Thai, and the marks of Japanese, stay, because they change the word.
 */
export function fold(text: string): string {
  return text
    .replace(/[‘’ʼ´`′]/g, "'")
    .toLowerCase()
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(/\p{Cc}+/gu, ' ')
    .toLowerCase()
    .replace(/[ßæœøłđıς]/g, (letter) => PLAIN[letter] ?? letter)
    .trim();
}

/** Separators of words, including characters that mail programs and tables put around an address. */
const BETWEEN = /[\s,;<>"“”„«»]+/u;
const NUMBER = /^[+(]?[\d\s()./\u2010-\u2015-]+$/u;
const DATE = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/;
/** A word that no text has: `fold` removes control characters. */
const NOTHING: readonly string[] = ['\n'];
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
 * leading zeros, so that national and international spellings find each other. Never empty, since no words would find
 * everybody.
 */
export function searchTerms(typed: string): readonly string[] {
  const folded = fold(typed);
  if (/^[+(0]/.test(folded) && NUMBER.test(folded) && !DATE.test(folded)) {
    const digits = digitsIn(folded.replace('(0)', '')).replace(/^0+/, '');
    if (digits.length >= 3 && digits.length <= DIGITS_MAX) return [digits];
  }
  const words = new Set(folded.split(BETWEEN).filter((word) => word !== ''));
  return words.size > 0 ? [...words] : NOTHING;
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

/** Signs that other programs and sentences put around an identifier. */
const SIGNS = '[\\s\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}"\'`´*<>|•·,;.:!?…，、。；：！？\\\\]+';
const SIGNS_AROUND = new RegExp(`^${SIGNS}|(?<!${SIGNS.slice(0, -1)})${SIGNS}$`, 'gu');
/** What an e-mail address has before its `@`. */
const LOCAL = '[^\\s@<>()[\\]{}"`´“”„«»|,;:=*?!/\\\\]';
/** An id, an e-mail address or a telephone number anywhere in a text. An address begins where its letters do. */
const IDENTIFIERS = new RegExp(
  `(?<!${LOCAL})${LOCAL}+@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)*|(?<![\\p{L}\\p{N}-])${UUID}(?![\\p{L}\\p{N}-])|\\+\\d[\\d\\s()./\\u2010-\\u2015-]{4,}\\d`,
  'giu',
);
/** `user=`, `"name":`, `Login: `. A colon alone may belong to the identifier: `google:1234`. */
const LABEL = /^(?:-\s|[\p{L}\p{N}_. -]+(?:\\?["'`]\s*[:=]|\s*=|:(?=[\s"'`\\])))/iu;

/** The only id, e-mail address or telephone number in a text, without gaps; otherwise the text without signs and label. */
export function bareIdentifier(pasted: string): string {
  const decoded = attempt(() => decodeURIComponent(pasted)) ?? pasted;
  const visible = decoded.replace(/[\p{Cf}\p{DI}]/gu, '').replace(/\p{Cc}+/gu, ' ');
  const found = new Set(visible.match(IDENTIFIERS));
  const [only = ''] = found.size === 1 ? found : [];
  let bare = only.replace(SIGNS_AROUND, '');
  // No program adds more layers, and removing them without a limit would take quadratic time.
  for (let layer = 0; only === '' && layer < 6; layer += 1)
    bare = (bare || visible)
      .replace(SIGNS_AROUND, '')
      .replace(/^tel:([^;]*).*$/i, '$1')
      .replace(LABEL, '');
  return bare.startsWith('+') && NUMBER.test(bare) ? `+${digitsIn(bare.replace('(0)', ''))}` : bare || pasted;
}

/** Words, undefined without a text, and what may be a whole identifier, undefined also for nothing but signs. */
export type TextSearch = { words?: readonly string[]; identifier?: string };

/** The searches for a text, of which the first that finds something counts: as typed, then without signs around it. */
export function searchesFor(typed: string | undefined): TextSearch[] {
  if (typed === undefined) return [{}];
  const identifier = bareIdentifier(typed);
  const words = searchTerms(typed);
  const bare = searchTerms(identifier).flatMap((word) => word.replace(SIGNS_AROUND, '') || []);
  if (bare.length === 0) return [{ words: NOTHING }];
  const last = { words: bare, identifier };
  return String(bare) === String(words) ? [last] : [{ words, identifier: typed.trim() }, last];
}

// The lookbehinds let a run of characters match only from its start: trying every character would take quadratic time.

/** A whole URL with a scheme, since any part of it may be a credential. */
export const ADDRESS_PATTERN = /(?<![a-z0-9+.-])[a-z0-9+.-]*:\/\/[^\s"'<>`)\]}]+/gi;

/** Patterns for hosts and addresses, in the order of redaction: rather too much than too little, in linear time. */
export const HOST_PATTERNS: readonly RegExp[] = [
  // IP addresses with or without a port: version 4, then 6.
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\[?(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])(?:%\w+)?(?:\](?::\d+)?)?/gi,
  // Hosts: `name:4434`, the name after `lookup`, and dotted names.
  /(?<![\w.-])(?:[\w.-]*[a-z0-9]:\d{2,5}\b)+/gi,
  /(?<=\blookup )\S+/gi,
  /(?<![\w.-])[\w.-]*[a-z0-9]\.[a-z][a-z0-9-]+\b(?:[\w.-]*\w)?/gi,
];
