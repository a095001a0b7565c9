// biome-ignore-all lint/a11y/noRedundantRoles: with CSS grid these elements lose their implicit roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table with focusable rows is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and their content take focus, not cells
import { memo } from 'react';
import { visibleText } from '../../format/visible-text.ts';
import { cellContent } from './column.tsx';
import type { ResourceRows } from './resource-rows.ts';
import classes from './resource-table.module.css';

interface RowProps<T> {
  row: T;
  rows: ResourceRows<T>;
  /** URL of the record. */
  href: string;
  index: number;
  current: boolean;
  chosen: boolean;
  onToggle: (index: number) => void;
}

/** The table handles clicks and keys. */
export const ResourceRow = memo(function ResourceRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, rows, index, current, chosen } = props;
  const rowName = visibleText(rows.nameOf(row));
  const inTabOrder = current ? 0 : -1;
  return (
    <tr
      role="row"
      className={classes.row}
      style={rows.style}
      data-row={index}
      tabIndex={inTabOrder}
      aria-selected={chosen}
    >
      <td role="gridcell" className={classes.choose} data-choose>
        <input
          type="checkbox"
          aria-label={`Select ${rowName}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(index)}
        />
      </td>
      {rows.columns.map(({ name, className, onCard, cell }, column) => {
        const content = cellContent(cell(row, inTabOrder));
        return (
          <td key={name} role="gridcell" className={className} data-on-card={onCard}>
            {column > 0 ? (
              content
            ) : (
              <a className={classes.link} href={props.href} data-open={row.id} tabIndex={inTabOrder} title={rowName}>
                {content}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}) as <T extends { id: string }>(props: RowProps<T>) => React.JSX.Element;
