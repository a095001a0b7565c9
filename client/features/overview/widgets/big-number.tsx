import type { ReactNode } from 'react';
import type { Destination } from '../destinations.ts';
import classes from './big-number.module.css';
import { DestinationLink } from './destination-link.tsx';

/**
 * A widget's main number with its details.
 * @param props.isLeast whether it is a lower bound
 * @param props.leadsTo the page that shows what was counted @param props.label what is counted, with the number
 */
export function BigNumber(props: {
  value: string;
  isLeast?: boolean;
  leadsTo?: Destination | undefined;
  label?: string;
  children?: ReactNode;
}) {
  const { value, isLeast = false, leadsTo, label, children } = props;
  return (
    <div className={classes.line}>
      {isLeast && <span className={classes.beside}>at least</span>}
      <span className={classes.value}>
        <DestinationLink inherit destination={leadsTo} {...(label !== undefined && { label })}>
          {value}
        </DestinationLink>
      </span>
      {children !== undefined && children !== false && <span className={classes.beside}>{children}</span>}
    </div>
  );
}
