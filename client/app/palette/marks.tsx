import type { ReactNode } from 'react';
import { fold, searchTerms } from '../../../shared/text.ts';

/** A text in parts that match a search or do not, ignoring case and accents. */
export function matchesIn(text: string, search: string): { text: string; isMatch: boolean }[] {
  const characters = [...text];
  // A character may fold into none, as an accent does, or into several: `ß`.
  let folded = '';
  const origins: number[] = [];
  for (const [index, character] of characters.entries()) {
    const plain = /\s/.test(character) ? ' ' : fold(character);
    folded += plain;
    origins.push(...Array<number>(plain.length).fill(index));
  }
  const matched = new Set<number>();
  for (const term of searchTerms(search))
    for (let found = folded.indexOf(term); found !== -1; found = folded.indexOf(term, found + term.length))
      for (const index of origins.slice(found, found + term.length)) matched.add(index);
  const parts: { text: string; isMatch: boolean }[] = [];
  for (const [index, character] of characters.entries()) {
    const last = parts.at(-1);
    // An accent belongs to the letter in front of it.
    const isMatch = matched.has(index) || (last?.isMatch === true && /^\p{M}/u.test(character));
    if (last?.isMatch === isMatch) last.text += character;
    else parts.push({ text: character, isMatch });
  }
  return parts;
}

/** A text with its matches marked; without a search, the text alone. */
export const Marked = ({ text, search }: { text: string; search: string | undefined }): ReactNode =>
  search === undefined
    ? text
    : matchesIn(text, search).map(({ text, isMatch }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their order
        isMatch ? <mark key={index}>{text}</mark> : text,
      );
