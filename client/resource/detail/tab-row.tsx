import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './detail-tabs.module.css';

/** For each link in the row. */
export const tabClass = classes.tab;

/** Links to tabs that are routes. */
export function TabRow({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen the row scrolls: keep the open tab visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which tab is the current one
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current) nav.current?.scrollTo({ left: current.offsetLeft - nav.current.offsetLeft - 24 });
  }, [path]);
  return (
    <nav className={classes.tabs} aria-label={label} ref={nav}>
      {children}
    </nav>
  );
}
