import { useCallback, useEffect, useState } from 'react';

type Find = () => HTMLElement | null | undefined;

/**
 * Gives the focus to something that a change brings, as soon as the change is drawn. The browser's next frame
 * (`requestAnimationFrame`) is no such time: on a busy machine it comes before React has drawn the change.
 * @returns to be called beside the `setState` of the change; what it is given looks for the element afterwards
 */
export function useFocusWhenDrawn(): (find: Find) => void {
  const [wish, setWish] = useState<{ find: Find }>();
  useEffect(() => wish?.find()?.focus(), [wish]);
  return useCallback((find) => setWish({ find }), []);
}
