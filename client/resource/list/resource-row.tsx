// biome-ignore-all lint/a11y/noRedundantRoles: as grids of CSS these elements lose their own roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: the row and what is in it take the focus, not the cells
import { memo } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { type Column, cellContent } from './column.tsx';
import classes from './resource-table.module.css';

interface RowProps<T> {
  row: T;
  rowName: string;
  columns: readonly Column<T>[];
  className: string | undefined;
  index: number;
  current: boolean;
  chosen: boolean;
  /** The operator has chosen the columns. */
  ownGrid: boolean;
  onToggle: (index: number) => void;
}

/** Clicks and keys are handled by the table. */
export const ResourceRow = memo(function ResourceRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, columns, index, current, chosen } = props;
  const inTabOrder = current ? 0 : -1;
  return (
    <tr
      role="row"
      className={`${classes.row} ${props.className}`}
      data-row={index}
      data-chosen-grid={props.ownGrid || undefined}
      tabIndex={inTabOrder}
      aria-selected={chosen}
    >
      <td role="gridcell" className={classes.choose} data-choose>
        <input
          type="checkbox"
          aria-label={`Select ${visibleText(props.rowName)}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(index)}
        />
      </td>
      {columns.map(({ name, label, className, cell }) => (
        <td key={name} role="gridcell" className={className} data-label={label}>
          {cellContent(cell(row, inTabOrder))}
        </td>
      ))}
    </tr>
  );
}) as <T extends { id: string }>(props: RowProps<T>) => React.JSX.Element;
