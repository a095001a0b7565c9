import type { ReactNode } from 'react';
import { visibleText } from '../format/visible-text.ts';
import classes from './fact-list.module.css';

/** Names and values side by side, or stacked on a narrow screen. */
export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{visibleText(name)}</dt>
          <dd>{typeof value === 'string' ? <bdi>{visibleText(value)}</bdi> : value}</dd>
        </div>
      ))}
    </dl>
  );
}
