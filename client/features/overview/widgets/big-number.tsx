import type { ReactNode } from 'react';
import classes from './big-number.module.css';

/** A widget's main number with its details. @param isLeast whether it is a lower bound */
export function BigNumber(props: { value: string; isLeast?: boolean; children?: ReactNode }) {
  const { value, isLeast = false, children } = props;
  return (
    <div className={classes.line}>
      {isLeast && <span className={classes.beside}>at least</span>}
      <span className={classes.value}>{value}</span>
      {children !== undefined && children !== false && <span className={classes.beside}>{children}</span>}
    </div>
  );
}
