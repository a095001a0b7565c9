import { useEffect, useState } from 'react';

type Key = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>;

/** Signs such as `µ` belong to no script. */
const OTHER_SCRIPT = /^(?![\p{Script=Latin}\p{Script=Common}])[\p{L}\p{M}]/u;

/**
 * The key of a shortcut. A letter of another script, such as Cyrillic or Hebrew, counts as the Latin letter on the same key.
 * Signs count as typed: on a French keyboard, `,` is where others have M.
 */
export function keyOf({ key, code, shiftKey }: Key): string {
  const letter = OTHER_SCRIPT.test(key) ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
  return (shiftKey ? letter : letter?.toLowerCase()) ?? key;
}

/** Whether the keys are Ctrl or ⌘ and a letter, with or without Shift. @param letter in lower case */
export const isCommand = (event: Key & Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey'>, letter: string) =>
  (event.ctrlKey || event.metaKey) && !event.altKey && keyOf(event).toLowerCase() === letter;

/** For the capture phase of the window: keeps keys of an input method, such as Enter to end a conversion, from handlers. */
export function ignoreInputMethod(event: KeyboardEvent): void {
  // Safari reports the last key after the composition, with this code.
  if (!event.isComposing && event.keyCode !== 229) return;
  event.stopImmediatePropagation();
  if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault();
}

/**
 * Calls `act` if `isDue` and nothing has been typed for 400 ms. The end of a composition counts as typing.
 * @param typed every change restarts the delay
 */
export function useAfterTyping(isDue: boolean, act: () => void, typed: readonly string[]): void {
  const [isComposing, setComposing] = useState(false);
  useEffect(() => {
    const listeners = new AbortController();
    addEventListener('compositionstart', () => setComposing(true), { signal: listeners.signal });
    addEventListener('compositionend', () => setComposing(false), { signal: listeners.signal });
    return () => listeners.abort();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing restarts the delay
  useEffect(() => {
    if (!isDue || isComposing) return;
    const timer = setTimeout(act, 400);
    return () => clearTimeout(timer);
  }, [isDue, isComposing, ...typed]);
}
