import type { CSSProperties } from 'react';
import classes from './list-skeleton.module.css';

/**
 * In the place of a list with a search field above it, until its rows arrive. One element draws all its lines: it comes
 * and goes before the first row, which waits for it.
 * @param heading whether the page's heading is on its way, too
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
