// biome-ignore-all lint/a11y/noRedundantRoles: as grids of CSS these elements lose their own roles in some browsers
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows take the focus is a grid
// biome-ignore-all lint/a11y/useFocusableInteractive: the row and what is in it take the focus, not the cells
import { memo } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { identifierOf, nameOf } from '../identity-name.ts';
import { stateInWords } from '../state-in-words.ts';
import classes from './identities-table.module.css';

/**
 * Nothing but elements: 250 of these rows are drawn on slow machines, and a component for each cell would double the
 * work, hence the calls. Clicks and keys are handled by the table.
 */
export const IdentityRow = memo(function IdentityRow(props: {
  identity: ListedIdentity;
  index: number;
  current: boolean;
  chosen: boolean;
  onToggle: (id: string) => void;
}) {
  const { identity, index, current, chosen } = props;
  const { id, traits, state, created_at, updated_at } = identity;
  const identifier = identifierOf(traits);
  const name = nameOf(traits);
  const shownAs = identifier ?? name ?? id;
  const inTabOrder = current ? 0 : -1;
  return (
    <tr role="row" className={classes.row} data-row={index} tabIndex={inTabOrder} aria-selected={chosen}>
      <td role="gridcell" className={classes.choose}>
        <input
          type="checkbox"
          aria-label={`Select ${shownAs}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(id)}
        />
      </td>
      <td role="gridcell" className={classes.identifier}>
        <a href={`/identities/${id}`} data-open={id} tabIndex={inTabOrder} title={shownAs}>
          {identifier ?? <em>no identifier</em>}
        </a>
      </td>
      <td role="gridcell" className={classes.name}>
        {name}
      </td>
      <td role="gridcell" className={classes.state}>
        {StatusDot({ status: state === 'active' ? 'good' : 'off', children: stateInWords(state) })}
      </td>
      <td role="gridcell" className={classes.created}>
        {RelativeTime({ at: created_at })}
      </td>
      <td role="gridcell" className={classes.updated}>
        {RelativeTime({ at: updated_at })}
      </td>
      <td role="gridcell" className={classes.id}>
        <code title={id}>{id}</code>
        <button
          type="button"
          data-copy={id}
          tabIndex={inTabOrder}
          aria-label={`Copy the id of ${shownAs}`}
          title="Copy the id"
        />
      </td>
    </tr>
  );
});
