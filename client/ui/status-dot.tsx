import type { ReactNode } from 'react';
import classes from './status-dot.module.css';

/** A mark beside the words that say the same: by its shape where there are no colours. */
export function StatusDot({ status, children }: { status: 'good' | 'warning' | 'bad' | 'off'; children: ReactNode }) {
  return (
    <span className={classes.status}>
      <span className={classes.dot} data-status={status} aria-hidden />
      <span>{children}</span>
    </span>
  );
}
