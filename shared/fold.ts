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
