import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './detail-tabs.module.css';

/** A tab, which is a route of its own. The first one stands at the resource's own address. */
export interface DetailTab {
  to: Extract<LinkProps['to'], `/${string}/$id${'' | `/${string}`}`>;
  label: string;
}

/** The tabs of a detail page: one more line and one more route for one more tab. */
export function DetailTabs(props: { label: string; id: string; tabs: readonly DetailTab[] }) {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // On a narrow screen the row of tabs scrolls: the one that is open must not stand outside.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path decides which tab is the current one
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current) nav.current?.scrollTo({ left: current.offsetLeft - nav.current.offsetLeft - 24 });
  }, [path]);
  return (
    <nav className={classes.tabs} aria-label={props.label} ref={nav}>
      {props.tabs.map(({ to, label }, index) => (
        <Link
          key={to}
          to={to}
          params={{ id: props.id }}
          // The way back to the list stays with the history entry.
          state={(current) => current}
          activeOptions={{ exact: index === 0 }}
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
