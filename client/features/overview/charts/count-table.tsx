import { digits } from '../../../format/counted.ts';
import type { Destination } from '../destinations.ts';
import { DestinationLink } from '../widgets/destination-link.tsx';
import classes from './count-table.module.css';

export interface CountRow {
  name: string;
  count: number;
  /** The page that shows what was counted. */
  leadsTo?: Destination | undefined;
}

/** The numbers of a chart. It scrolls inside the widget and is focusable, so that it can be scrolled by keyboard. */
export function CountTable(props: { caption: string; of: string; counted: string; rows: readonly CountRow[] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll containers must be reachable by keyboard
    <div className={classes.frame} tabIndex={0} role="group" aria-label={props.caption}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{props.of}</th>
            <th scope="col">{props.counted}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map(({ name, count, leadsTo }) => (
            <tr key={name}>
              <th scope="row">
                <DestinationLink inherit destination={count > 0 ? leadsTo : undefined}>
                  {name}
                </DestinationLink>
              </th>
              <td>{digits(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
