import { type KeyboardEvent, type RefObject, useEffect } from 'react';

/** The entries of the menu in an element, in their order. */
export const itemsIn = (root: HTMLElement | null): HTMLElement[] => [
  ...(root?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
];

/**
 * The keys of an open menu (WAI-ARIA Authoring Practices, menu button): arrows, Home and End move the focus, Escape and
 * Tab close it.
 * @param close whether the focus returns to the menu's button @returns whether the key was one of these
 */
export function menuKey(event: KeyboardEvent, root: HTMLElement | null, close: (focusBack: boolean) => void): boolean {
  const items = itemsIn(root);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const focusAt: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  };
  // The focus goes on from where it is.
  if (event.key === 'Tab') close(false);
  const next = focusAt[event.key];
  if (next !== undefined) items.at(next)?.focus();
  else if (event.key === 'Escape') close(true);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** Calls `close` when something outside of the element is pressed, while `open`. */
export function usePressElsewhere(root: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: every `close` does the same
  useEffect(() => {
    if (!open) return;
    const onPress = ({ target }: PointerEvent): void => {
      if (!root.current?.contains(target as Node)) close();
    };
    document.addEventListener('pointerdown', onPress, true);
    return () => document.removeEventListener('pointerdown', onPress, true);
  }, [root, open]);
}
