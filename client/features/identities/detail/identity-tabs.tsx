import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './identity-tabs.module.css';

/** The tabs of an identity, each a route: one more line for one more tab. */
const TABS = [
  { to: '/identities/$id', label: 'Overview', exact: true },
  { to: '/identities/$id/traits', label: 'Traits and metadata', exact: false },
  { to: '/identities/$id/credentials', label: 'Credentials', exact: false },
  { to: '/identities/$id/sessions', label: 'Sessions', exact: false },
  { to: '/identities/$id/json', label: 'JSON', exact: false },
] as const;

export function IdentityTabs({ id }: { id: string }) {
  const tabs = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen the row of tabs scrolls: the one that is open must not stand outside.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which tab is the current one
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current) tabs.current?.scrollTo({ left: current.offsetLeft - tabs.current.offsetLeft - 24 });
  }, [path]);
  return (
    <nav className={classes.tabs} aria-label="Identity" ref={tabs}>
      {TABS.map(({ to, label, exact }) => (
        <Link
          key={to}
          to={to}
          params={{ id }}
          // The way back to the list stays with the history entry.
          state={(current) => current}
          activeOptions={{ exact }}
          className={classes.tab}
          data-keeps-focus
          preload={false}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
