import type { CSSProperties } from 'react';
import { digits } from '../../../format/counted.ts';
import { DestinationLink } from '../widgets/destination-link.tsx';
import type { CountRow } from './count-table.tsx';
import classes from './share-bars.module.css';
import { percent } from './summaries.ts';

/** Parts of a whole as named bars, largest first; scrolls when they do not fit. */
export function ShareBars({ shares, of, label }: { shares: readonly CountRow[]; of: number; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <ul className={classes.shares} tabIndex={0} aria-label={label}>
      {shares.map(({ name, count, leadsTo }) => (
        <li key={name}>
          <span className={classes.name} title={name}>
            <DestinationLink inherit destination={leadsTo}>
              {name}
            </DestinationLink>
          </span>
          <span className={classes.count}>
            {digits(count)} <small>{percent(count, of)}</small>
          </span>
          <i style={{ '--share': of === 0 ? 0 : count / of } as CSSProperties} aria-hidden />
        </li>
      ))}
    </ul>
  );
}
