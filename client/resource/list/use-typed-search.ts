import { useEffect, useState } from 'react';

/** After the last key. */
const PAUSE_MS = 400;
/** Fewer match too much to be asked for while somebody types. */
const MIN_CHARACTERS = 3;

/**
 * The text of a search field, which searches by itself while somebody types.
 * @param searched the text that the list is searched for
 * @param look searches; by typing, or on request
 * @param waits true for a text that only Enter searches for
 * @returns the text, its setter, and a search at once
 */
export function useTypedSearch(
  searched: string,
  look: (text: string, typing: boolean) => void,
  waits: (text: string) => boolean,
): [text: string, type: (text: string) => void, lookNow: (text: string) => void] {
  const [held, setHeld] = useState({ searched, text: searched, asked: searched });
  let current = held;
  if (held.searched !== searched) {
    // What this field asked for is searched now: more may have been typed meanwhile. Otherwise somebody went back.
    current = { searched, text: held.asked === searched ? held.text : searched, asked: searched };
    setHeld(current);
  }
  const { text, asked } = current;
  const ask = (wanted: string, typing: boolean): void => {
    setHeld({ ...current, text: typing ? text : wanted, asked: wanted.trim() });
    if (wanted.trim() !== searched) look(wanted.trim(), typing);
  };
  const trimmed = text.trim();
  const isDue = trimmed !== asked && (trimmed === '' || [...trimmed].length >= MIN_CHARACTERS) && !waits(trimmed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each key begins the pause anew
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(() => ask(text, true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isDue, text, searched]);
  return [text, (typed) => setHeld({ ...current, text: typed }), (wanted) => ask(wanted, false)];
}
