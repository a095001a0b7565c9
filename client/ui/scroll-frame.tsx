import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './scroll-frame.module.css';

/** A scroll container for a long or wide table; focusable, so that it can be scrolled by keyboard. */
export function ScrollFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Paper withBorder className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.content} tabIndex={0} aria-label={label}>
        {children}
      </section>
    </Paper>
  );
}
