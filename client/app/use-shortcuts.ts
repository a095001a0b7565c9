import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PAGES } from './navigation.ts';

const GO_TO_PATIENCE_MS = 1_500;

/** Ctrl or Cmd with K, `?`, and `g` followed by a page's letter. Single keys are off while something is typed into a field or a dialog is open. */
export function useShortcuts(actions: { openPalette: () => void; openShortcuts: () => void }): void {
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
      if (event.ctrlKey || event.metaKey || event.altKey || isBusyWith(event.target)) return;
      if (event.key === '?') {
        event.preventDefault();
        latest.current.openShortcuts();
        return;
      }
      const page = Date.now() < goToUntil ? PAGES.find(({ letter }) => letter === event.key) : undefined;
      goToUntil = event.key === 'g' ? Date.now() + GO_TO_PATIENCE_MS : 0;
      if (page === undefined) return;
      event.preventDefault();
      void router.navigate({ to: page.to });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [router]);
}

const isBusyWith = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"]') !== null ||
  (target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)));
