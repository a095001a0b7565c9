import { useCallback, useEffect, useState } from 'react';

type Find = () => HTMLElement | null | undefined;

/**
 * Focuses an element that a state change creates, as soon as it is rendered. `requestAnimationFrame` would not do: on
 * a busy machine it runs before React has rendered.
 * @returns a function to call along with `setState`; it takes a function that finds the element afterwards
 */
export function useFocusWhenDrawn(): (find: Find) => void {
  const [wish, setWish] = useState<{ find: Find }>();
  useEffect(() => wish?.find()?.focus(), [wish]);
  return useCallback((find) => setWish({ find }), []);
}
