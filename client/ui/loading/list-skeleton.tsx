import type { CSSProperties } from 'react';
import classes from './list-skeleton.module.css';

/**
 * Placeholder for a list with a search field until its rows have loaded. A single element draws all lines: the first
 * row waits for this to come and go.
 * @param heading whether the page's heading is missing, too
 */
export function ListSkeleton({ label, rows, heading = false }: { label: string; rows: number; heading?: boolean }) {
  return (
    <div className={classes.skeleton} role="status" aria-busy aria-label={label}>
      {heading && <div className={classes.heading} />}
      <div className={classes.field} />
      <div className={classes.list}>
        <div className={classes.lines} style={{ '--rows': rows } as CSSProperties} />
      </div>
    </div>
  );
}
