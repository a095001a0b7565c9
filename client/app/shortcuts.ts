import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { ignoreInputMethod } from '../lib/keys.ts';
import { usePageKeys } from '../ui/hooks.tsx';
import { allPages } from './navigation.tsx';

const GO_TO_TIMEOUT_MS = 1_500;

export interface ShortcutActions {
  /** The palette or the shortcut sheet is open or loading, so single keys must not reach the page. */
  covered: boolean;
  openPalette: () => void;
  openShortcuts: () => void;
  toggleCollapsed: () => void;
  /** Undefined unless the navigation covers the page. */
  closeNavigation: (() => void) | undefined;
}

/**
 * Global keys (see `ShortcutSheet`), and Esc to close the navigation on a narrow screen. Single keys are ignored
 * while a field has focus or a dialog is open.
 */
export function useShortcuts(actions: ShortcutActions): void {
  const router = useRouter();
  const goToUntil = useRef(0);
  // A layout effect, so that no dialog listens earlier.
  useLayoutEffect(() => {
    addEventListener('keydown', ignoreInputMethod, true);
    return () => removeEventListener('keydown', ignoreInputMethod, true);
  }, []);
  usePageKeys((key) => {
    if (key === 'Ctrl+K') return actions.openPalette;
    if (actions.covered) return undefined;
    const page = Date.now() < goToUntil.current ? allPages().find(({ letter }) => letter === key) : undefined;
    goToUntil.current = key === 'g' ? Date.now() + GO_TO_TIMEOUT_MS : 0;
    return page === undefined ? actionOf(key, actions) : () => void router.navigate({ to: page.to });
  });
}

function actionOf(key: string, actions: ShortcutActions): (() => void) | undefined {
  return {
    '?': actions.openShortcuts,
    '[': actions.toggleCollapsed,
    Escape: actions.closeNavigation,
    '/': onFirst<HTMLInputElement>('main search input', (field) => {
      field.focus();
      field.select();
    }),
    f: onFirst('main [data-filter]', (button) => button.click()),
    // The last action's: an earlier one may still be offered above it.
    u: onFirst('[data-undo]', () => [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.focus()),
  }[key];
}

/** Undefined if the page has no such element; the browser then handles the key. */
function onFirst<E extends HTMLElement>(selector: string, act: (element: E) => void): (() => void) | undefined {
  const element = document.querySelector<E>(selector);
  return element === null ? undefined : () => act(element);
}
