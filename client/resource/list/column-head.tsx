// biome-ignore-all lint/a11y/noRedundantRoles: with CSS grid these elements lose their implicit roles in some browsers
import classes from './resource-table.module.css';
import { isDescending, nextSort, sortedBy } from './sort.ts';

export interface Sorting {
  /** The list's order: `created`, or descending `-created`. */
  sort: string;
  onSort: (sort: string) => void;
}

/** Heading of a column that the list can be sorted by. @param first the order that it asks for first */
export function SortingHead(props: Sorting & { label: string; className: string; first: string }) {
  const { sort, first } = props;
  const by = sortedBy(first);
  const direction = isDescending(sort) ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      className={props.className}
      aria-sort={sortedBy(sort) === by ? direction : undefined}
    >
      <button type="button" className={classes.sort} data-sort={by} onClick={() => props.onSort(nextSort(sort, first))}>
        {props.label}
      </button>
    </th>
  );
}
