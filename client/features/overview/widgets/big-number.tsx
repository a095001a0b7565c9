import type { ReactNode } from 'react';
import classes from './big-number.module.css';

/** The number that a widget is about, with what goes beside it. @param isLeast whether there may be more */
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
