import { useLocation } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';

/** Restores the scroll position when returning to a list from a record. */
export function useScrolledBack(): void {
  const scrolled = useLocation({ select: ({ state }) => state.scrolled });
  useLayoutEffect(() => {
    if (scrolled !== undefined) scrollTo({ top: scrolled });
  }, [scrolled]);
}
