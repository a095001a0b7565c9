import { ActionIcon, Group, Kbd, Text, UnstyledButton } from '@mantine/core';
import { Outlet, useRouter } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useOperator } from '../api/session.ts';
import { useSessionEnded } from '../lib/sign-in.ts';
import { FailureAdvice } from '../ui/failure-panel.tsx';
import { focusHeading } from '../ui/hooks.tsx';
import { DeploymentBadge } from '../ui/layout.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { IconMenu, IconSearch, IconX } from '../ui/shell-icons.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { AdviceOnFailure } from './failures.tsx';
import { Navigation, useCollapsed } from './navigation.tsx';
import { useRefetchOnline } from './query-client.ts';
import { SessionGate } from './session-gate.tsx';
import classes from './shell.module.css';
import { useShortcuts } from './shortcuts.ts';

const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const AccountMenu = lazyPart(() => import('./account-menu.tsx'), 'AccountMenu');

/** A menu button with the operator's e-mail: theme, time zone, shortcuts, sign-out. */
export function AccountButton({ onShortcuts }: { onShortcuts: () => void }) {
  const [pressed, setPressed] = useState(false);
  if (!pressed) {
    const load = (): void => void AccountMenu.preload?.()?.then(() => setPressed(true));
    return <OperatorButton aria-haspopup="menu" aria-expanded={false} onClick={load} />;
  }
  // Replaces the button that was pressed, so it takes the focus.
  const button = <OperatorButton autoFocus />;
  return <AccountMenu button={button} onShortcuts={onShortcuts} onClose={() => setPressed(false)} />;
}

function OperatorButton(props: ComponentPropsWithRef<'button'>) {
  const { email } = useOperator();
  return (
    <UnstyledButton {...props} className={classes.button}>
      <b aria-hidden>{email[0]}</b>
      <span>{email}</span>
    </UnstyledButton>
  );
}

const Notices = lazyPart(() => import('./notices.tsx'), 'Notices', null);
const Palette = lazyPart(() => import('./palette/palette.tsx'), 'Palette');
const ShortcutSheet = lazyPart(() => import('./shortcut-sheet.tsx'), 'ShortcutSheet');

/** Long enough for a slow machine to render its first rows. */
const PRELOAD_AFTER_MS = 3_000;

export function Shell({ children }: { children: ReactNode }) {
  const [navigationOpen, setNavigationOpen] = useState(false);
  const [collapsed, toggleCollapsed] = useCollapsed();
  const [settled, setSettled] = useState(false);
  const ended = useSessionEnded();
  const [overlay, setOverlay] = useState<'palette' | 'shortcuts'>();
  const burger = useRef<HTMLButtonElement>(null);
  const closeOverlay = useCallback(() => setOverlay(undefined), []);
  // Not the shortcuts, which the palette may just have opened.
  const closePalette = useCallback(() => setOverlay((open) => (open === 'palette' ? undefined : open)), []);
  const openPalette = (): void => setOverlay('palette');
  const openShortcuts = (): void => setOverlay('shortcuts');
  useShortcuts({
    covered: overlay !== undefined,
    openPalette,
    openShortcuts,
    toggleCollapsed,
    closeNavigation: navigationOpen
      ? () => {
          setNavigationOpen(false);
          burger.current?.focus();
        }
      : undefined,
  });
  useFocusOnNewPage(useCallback(() => setNavigationOpen(false), []));
  useEffect(() => {
    const timer = setTimeout(() => {
      void Palette.preload?.();
      setSettled(true);
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={classes.shell} data-collapsed={collapsed || undefined}>
      <a className={classes.skip} href="#content" data-unprinted>
        Skip to content
      </a>
      <header className={classes.header} data-unprinted>
        <ActionIcon
          ref={burger}
          className={classes.burger}
          variant="subtle"
          color="gray"
          onClick={() => setNavigationOpen((open) => !open)}
          aria-label="Navigation"
          aria-expanded={navigationOpen}
          aria-controls="navigation"
        >
          {navigationOpen ? <IconX size={22} /> : <IconMenu size={22} />}
        </ActionIcon>
        <DeploymentBadge />
        <Text span size="sm" c="dimmed" truncate className={classes.wide}>
          Dashboard Admin
        </Text>
        <Group gap={8} wrap="nowrap" ml="auto">
          <UnstyledButton
            className={classes.button}
            c="dimmed"
            onClick={openPalette}
            aria-keyshortcuts="Control+K Meta+K"
          >
            <IconSearch />
            <span>Search or jump to…</span>
            <Kbd className={classes.wide} aria-hidden>
              {MODIFIER} K
            </Kbd>
          </UnstyledButton>
          <AccountButton onShortcuts={openShortcuts} />
        </Group>
      </header>
      <Navigation open={navigationOpen} collapsed={collapsed} onCollapse={toggleCollapsed} />
      <main id="content" tabIndex={-1} className={classes.main}>
        {(ended || settled) && <Notices quiet={!ended} />}
        {children}
      </main>
      {overlay === 'palette' && <Palette onClose={closePalette} onShortcuts={openShortcuts} />}
      {overlay === 'shortcuts' && <ShortcutSheet onClose={closeOverlay} />}
    </div>
  );
}

/** Moves the focus to the heading of the new page after navigation, since the clicked link may be gone. */
function useFocusOnNewPage(onNavigate: () => void): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        onNavigate();
        // Switching tabs leaves the focus on the tab, and a page may open with the focus in its search.
        if (document.activeElement?.closest('main nav, main search') == null) focusHeading();
      }),
    [router, onNavigate],
  );
}

export function SignedIn() {
  useRefetchOnline();
  return (
    <SessionGate>
      <FailureAdvice value={AdviceOnFailure}>
        <Shell>
          <Outlet />
        </Shell>
      </FailureAdvice>
      <Toasts />
    </SessionGate>
  );
}
