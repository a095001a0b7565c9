import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isTyping } from '../ui/hooks.tsx';
import { PAGES } from './navigation.tsx';

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
  const latest = useRef(actions);
  latest.current = actions;

  useEffect(() => {
    let goToUntil = 0;
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        latest.current.openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (latest.current.covered || isTyping(event.target)) return;
      const page = Date.now() < goToUntil ? PAGES.find(({ letter }) => letter === event.key) : undefined;
      goToUntil = event.key === 'g' ? Date.now() + GO_TO_TIMEOUT_MS : 0;
      const act =
        page === undefined ? actionOf(event.key, latest.current) : () => void router.navigate({ to: page.to });
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [router]);
}

function actionOf(key: string, actions: ShortcutActions): (() => void) | undefined {
  switch (key) {
    case '?':
      return actions.openShortcuts;
    case '[':
      return actions.toggleCollapsed;
    case 'Escape':
      return actions.closeNavigation;
    case '/':
      return onFirst<HTMLInputElement>('main search input', (field) => {
        field.focus();
        field.select();
      });
    case 'f':
      return onFirst('main [data-filter]', (button) => button.click());
    case 'u':
      // The last action's: an earlier one may still be offered above it.
      return onFirst('[data-undo]', () => [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1)?.focus());
    default:
      return undefined;
  }
}

/** Undefined if the page has no such element; the browser then handles the key. */
function onFirst<E extends HTMLElement>(selector: string, act: (element: E) => void): (() => void) | undefined {
  const element = document.querySelector<E>(selector);
  return element === null ? undefined : () => act(element);
}
