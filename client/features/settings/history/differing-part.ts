/**
 * A text in three parts: what it begins with as another one does, what differs, and what it ends with as the other one
 * does. No character is cut in two.
 */
export function differingPart(text: string, other: string): [before: string, differs: string, after: string] {
  const [own, others] = [text.length, other.length];
  const shorter = Math.min(own, others);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text[own - 1 - end] === other[others - 1 - end]) end += 1;
  if (isLowSurrogate(text, start) || isLowSurrogate(other, start)) start -= 1;
  if (isLowSurrogate(text, own - end) || isLowSurrogate(other, others - end)) end -= 1;
  return [text.slice(0, start), text.slice(start, own - end), text.slice(own - end)];
}

/** The second half of a character that takes two code units. */
const isLowSurrogate = (text: string, index: number): boolean => /^[\udc00-\udfff]/.test(text.charAt(index));
