import type { ReactNode } from 'react';
import classes from './status-dot.module.css';

/** A mark next to the words for the same state, told apart by shape where colours are not. */
export function StatusDot({ status, children }: { status: 'good' | 'warning' | 'bad' | 'off'; children: ReactNode }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-status={status} aria-hidden />
      <span>{children}</span>
    </span>
  );
}
