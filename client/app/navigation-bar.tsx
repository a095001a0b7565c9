import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { startTransition, useEffect, useState } from 'react';
import { holdersOf } from '../../shared/capabilities.ts';
import { useCan } from '../api/session.ts';
import { IconLock } from '../ui/icons.ts';
import { PAGES } from './navigation.ts';
import classes from './shell.module.css';

/** Rendered just after the page itself, which matters more; both at once would block the browser for too long. */
export function Navigation({ id, open }: { id: string; open: boolean }) {
  const [pageDrawn, setPageDrawn] = useState(false);
  useEffect(() => startTransition(() => setPageDrawn(true)), []);
  return (
    <nav id={id} className={classes.navigation} aria-label="Pages" data-open={open || undefined}>
      {pageDrawn && <Links />}
    </nav>
  );
}

function Links() {
  const may = useCan();
  return (
    <ul className={classes.pages}>
      {PAGES.map(({ to, label, icon: Icon, needs }) => {
        const holders = needs.some(may) ? undefined : holdersOf(needs);
        return (
          <li key={to}>
            <Link to={to} className={classes.page} title={holders && `For ${holders}`}>
              <Icon size={18} stroke={1.7} />
              {label}
              {holders && (
                <>
                  <IconLock className={classes.lock} size={14} />
                  <VisuallyHidden>(for {holders})</VisuallyHidden>
                </>
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
