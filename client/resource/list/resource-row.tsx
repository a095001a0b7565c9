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
  rowName: string;
  /** URL of the record. */
  href: string;
  columns: ResourceRows<T>['columns'];
  index: number;
  current: boolean;
  chosen: boolean;
  onToggle: (index: number) => void;
}

/** The table handles clicks and keys. */
export const ResourceRow = memo(function ResourceRow<T extends { id: string }>(props: RowProps<T>) {
  const { row, rowName, columns, index, current, chosen } = props;
  const inTabOrder = current ? 0 : -1;
  return (
    <tr role="row" className={classes.row} data-row={index} tabIndex={inTabOrder} aria-selected={chosen}>
      <td role="gridcell" className={classes.choose} data-choose>
        <input
          type="checkbox"
          aria-label={`Select ${visibleText(rowName)}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(index)}
        />
      </td>
      {columns.map(({ name, className, onCard, cell }, column) => {
        const content = cellContent(cell(row, inTabOrder));
        return (
          <td key={name} role="gridcell" className={className} data-on-card={onCard}>
            {column > 0 ? (
              content
            ) : (
              <a
                className={classes.link}
                href={props.href}
                data-open={row.id}
                tabIndex={inTabOrder}
                title={visibleText(rowName)}
              >
                {content}
              </a>
            )}
          </td>
        );
      })}
    </tr>
  );
}) as <T extends { id: string }>(props: RowProps<T>) => React.JSX.Element;
