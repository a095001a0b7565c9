/**
 * Text as it is compared: case and accents aside, without control characters. Compatibility forms (full-width letters,
 * ligatures) equal their plain ones.
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

/** Whether one of the folded texts has folded text in it, or begins with it if that is one or two characters. */
export function isFoundBy(texts: Iterable<string>, folded: string): boolean {
  const short = [...folded].length < 3;
  for (const text of texts) if (short ? text.startsWith(folded) : text.includes(folded)) return true;
  return false;
}
