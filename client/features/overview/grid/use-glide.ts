import { type RefObject, useLayoutEffect, useRef } from 'react';

const GLIDE_MS = 160;

/** Animates widgets to their new places, unless the user prefers reduced motion. */
export function useGlide(grid: RefObject<HTMLElement | null>, active: boolean, dragged: string | undefined): void {
  const before = useRef(new Map<string, { left: number; top: number }>());
  useLayoutEffect(() => {
    const after = new Map<string, { left: number; top: number }>();
    const still = !active || matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const widget of grid.current?.querySelectorAll<HTMLElement>('[data-widget]') ?? []) {
      const id = widget.dataset['widget'] ?? '';
      const { offsetLeft: left, offsetTop: top } = widget;
      after.set(id, { left, top });
      const from = before.current.get(id);
      if (still || id === dragged || from === undefined || (from.left === left && from.top === top)) continue;
      widget.animate([{ transform: `translate(${from.left - left}px, ${from.top - top}px)` }, { transform: 'none' }], {
        duration: GLIDE_MS,
        easing: 'ease-out',
      });
    }
    before.current = after;
  });
}
