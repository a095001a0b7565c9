import { type RefObject, useLayoutEffect } from 'react';

/**
 * Keeps focused elements clear of a bar that sticks to an edge of the screen, whatever its height (WCAG 2.2, 2.4.11).
 * On its own, a browser only scrolls a large field's caret into view.
 */
export function useScrollRoom(bar: RefObject<HTMLElement | null>, edge: 'Top' | 'Bottom'): void {
  useLayoutEffect(() => {
    const { current } = bar;
    if (current === null) return;
    const { style } = document.documentElement;
    const reveal = (focused: Element | null): void => {
      // What was clicked must not move away from under the mouse.
      if (focused?.matches(':focus-visible') && !current.contains(focused))
        focused.scrollIntoView({ block: 'nearest' });
    };
    const sized = new ResizeObserver(() => {
      const { position, top, bottom } = getComputedStyle(current);
      const inset = parseFloat(edge === 'Top' ? top : bottom);
      style[`scrollPadding${edge}`] = position === 'sticky' ? `${inset + current.offsetHeight + GAP_PX}px` : '';
      reveal(document.activeElement);
    });
    const onFocus = ({ target }: FocusEvent): void => reveal(target as Element);
    sized.observe(current);
    document.addEventListener('focusin', onFocus);
    return () => {
      sized.disconnect();
      document.removeEventListener('focusin', onFocus);
      style[`scrollPadding${edge}`] = '';
    };
  }, [bar, edge]);
}

/** For the focus outline. */
const GAP_PX = 8;
