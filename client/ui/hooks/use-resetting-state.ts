import { useState } from 'react';

/**
 * State that starts anew when `key` changes, in the same render: an effect would come after what the operator typed
 * meanwhile, and take it away.
 * @param initial what it starts with
 */
export function useResettingState<T>(initial: T, key: unknown): [T, (value: T) => void] {
  const [held, setHeld] = useState({ key, value: initial });
  const current = held.key === key ? held : { key, value: initial };
  if (current !== held) setHeld(current);
  return [current.value, (value) => setHeld({ key, value })];
}
