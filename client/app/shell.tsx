import { ActionIcon } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useSessionEnded } from '../session/session-end.ts';
import { DeploymentBadge } from '../ui/deployment-badge.tsx';
import { IconMenu, IconX } from '../ui/icons.ts';
import { lazyPart } from '../ui/loading/lazy-part.tsx';
import { AccountButton } from './account/account-button.tsx';
import { keepFocus } from './keep-focus.ts';
import { Navigation } from './navigation-bar.tsx';
import { Notices } from './notices.tsx';
import { PaletteButton } from './palette/palette-button.tsx';
import classes from './shell.module.css';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazyPart(() => import('./palette/palette.tsx'), 'Palette');
const ShortcutSheet = lazyPart(() => import('./shortcut-sheet.tsx'), 'ShortcutSheet');

/** Once the first page has settled. */
const PRELOAD_AFTER_MS = 1_000;

/** The frame of every page for signed-in operators. */
export function Shell({ children }: { children: ReactNode }) {
  const [navigationOpen, setNavigationOpen] = useState(false);
  const [settled, setSettled] = useState(false);
  const ended = useSessionEnded();
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts'>();
  const burger = useRef<HTMLButtonElement>(null);
  const closeOverlay = useCallback(() => setOverlay(undefined), []);
  const openPalette = (): void => setOverlay('palette');
  const openShortcuts = (): void => setOverlay('shortcuts');
  useShortcuts({
    covered: overlay !== undefined,
    openPalette,
    openShortcuts,
    closeNavigation: navigationOpen
      ? () => {
          setNavigationOpen(false);
          burger.current?.focus();
        }
      : undefined,
  });
  useFocusOnNewPage(useCallback(() => setNavigationOpen(false), []));
  useEffect(keepFocus, []);
  useEffect(() => {
    const timer = setTimeout(() => {
      void Palette.preload?.();
      setSettled(true);
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content" data-unprinted>
        Skip to content
      </a>
      <header className={classes.header} data-unprinted>
        <ActionIcon
          ref={burger}
          className={classes.burger}
          variant="subtle"
          color="gray"
          size={36}
          onClick={() => setNavigationOpen((open) => !open)}
          aria-label="Navigation"
          aria-expanded={navigationOpen}
          aria-controls="navigation"
        >
          {navigationOpen ? <IconX size={22} /> : <IconMenu size={22} />}
        </ActionIcon>
        <DeploymentBadge />
        <span className={classes.product}>Dashboard Admin</span>
        <div className={classes.tools}>
          <PaletteButton onClick={openPalette} />
          <AccountButton onShortcuts={openShortcuts} />
        </div>
      </header>
      <Navigation id="navigation" open={navigationOpen} />
      <main id="content" tabIndex={-1} className={classes.main}>
        {(ended || settled) && <Notices />}
        {children}
      </main>
      {overlay === 'palette' && <Palette onClose={closeOverlay} />}
      {overlay === 'shortcuts' && <ShortcutSheet onClose={closeOverlay} />}
    </div>
  );
}

/** After navigation, focus moves to the new page's heading; otherwise it would stay on a link that is gone. */
function useFocusOnNewPage(arrived: () => void): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        arrived();
        // Focus stays on the tab or control that was used.
        if (document.activeElement?.closest('[data-keeps-focus]')) return;
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });
      }),
    [router, arrived],
  );
}
