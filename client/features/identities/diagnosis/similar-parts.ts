import { fold } from '../../../../shared/text.ts';

/** Shorter parts are in half the names there are. */
const PART_MIN = 3;

/** What distinguishes an identifier: of an address the part before `@`, without a tag (`+news`). */
const nameIn = (identifier: string): string => fold(identifier).replace(/@.*$/s, '').replace(/\+.*$/s, '');

/**
 * Parts of an identifier to search for: whoever differs from it in one place has at least one of them whole.
 * @returns none for an identifier too short to be mistaken for another
 */
export function similarParts(identifier: string): string[] {
  const name = [...nameIn(identifier)];
  const half = Math.ceil(name.length / 2);
  const parts = [name.slice(0, half), name.slice(half)].map((part) => part.join(''));
  return [...new Set(parts)].filter((part) => [...part].length >= PART_MIN);
}

/**
 * Whether two identifiers are easily taken for each other: the same but for case, accents, dots and a tag, or but for
 * one letter, or two that changed places; of addresses, whatever their domain.
 */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [one, other].map((identifier) => nameIn(identifier).replace(/[.\-_ ]/g, ''));
  return a !== undefined && b !== undefined && a !== '' && differsAtMostOnce(a, b);
}

/** One letter added, left out or replaced, or two neighbours exchanged. */
function differsAtMostOnce(one: string, other: string): boolean {
  const [short, long] = [[...one], [...other]].sort((a, b) => a.length - b.length) as [string[], string[]];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const [a = [], b = []] = [short, long].map((letters) => letters.slice(start, letters.length - end));
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0]);
}
