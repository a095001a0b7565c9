import { useLocation } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';

/** A list that is come back to from a page it opened stands where it stood. */
export function useScrolledBack(): void {
  const scrolled = useLocation({ select: ({ state }) => state.scrolled });
  useLayoutEffect(() => {
    if (scrolled !== undefined) scrollTo({ top: scrolled });
  }, [scrolled]);
}
