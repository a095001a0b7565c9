import { Burger } from '@mantine/core';
import { lazyRouteComponent, useRouter } from '@tanstack/react-router';
import { type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { DeploymentBadge } from '../ui/deployment-badge.tsx';
import { ColorSchemeButton } from './color-scheme-button.tsx';
import { Navigation } from './navigation-bar.tsx';
import { PaletteButton } from './palette-button.tsx';
import { SessionEndedBanner } from './session-ended-banner.tsx';
import classes from './shell.module.css';
import { useShortcuts } from './use-shortcuts.ts';

const Palette = lazyRouteComponent(() => import('./palette.tsx'), 'Palette');
const ShortcutSheet = lazyRouteComponent(() => import('./shortcut-sheet.tsx'), 'ShortcutSheet');

/** The frame of every page for signed-in operators. */
export function Shell({ children }: { children: ReactNode }) {
  const [navigationOpen, setNavigationOpen] = useState(false);
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts'>();
  useShortcuts({ openPalette: () => setOverlay('palette'), openShortcuts: () => setOverlay('shortcuts') });
  useFocusOnNewPage(useCallback(() => setNavigationOpen(false), []));

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <header className={classes.header}>
        <Burger
          className={classes.burger}
          size="sm"
          opened={navigationOpen}
          onClick={() => setNavigationOpen((open) => !open)}
          aria-label="Navigation"
          aria-expanded={navigationOpen}
          aria-controls="navigation"
        />
        <DeploymentBadge />
        <span className={classes.product}>Dashboard Admin</span>
        <div className={classes.tools}>
          <PaletteButton onClick={() => setOverlay('palette')} />
          <ColorSchemeButton />
        </div>
      </header>
      <Navigation id="navigation" open={navigationOpen} onShortcuts={() => setOverlay('shortcuts')} />
      <main id="content" tabIndex={-1} className={classes.main}>
        <SessionEndedBanner />
        {children}
      </main>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={() => setOverlay(undefined)} />}
        {overlay === 'shortcuts' && <ShortcutSheet onClose={() => setOverlay(undefined)} />}
      </Suspense>
    </div>
  );
}

/** A change of page takes the focus to the new page's heading; otherwise it would stay on a link that is gone. */
function useFocusOnNewPage(arrived: () => void): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        arrived();
        // Tabs and the like stay under the hand that pressed them.
        if (document.activeElement?.closest('[data-keeps-focus]')) return;
        document.querySelector<HTMLElement>('[data-page-heading]')?.focus({ preventScroll: true });
      }),
    [router, arrived],
  );
}
