import { IconCopy } from '@tabler/icons-react';
import { memo } from 'react';
import type { ListedIdentity } from '../../../shared/identities.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import classes from './identities-table.module.css';
import { identifierOf, nameOf } from './identity-name.ts';
import { stateInWords } from './state-in-words.ts';

/** Plain elements: 250 of these rows are drawn on slow machines. Clicks and keys are handled by the table. */
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
    <tr data-row={index} tabIndex={inTabOrder} aria-selected={chosen}>
      <td className={classes.choose}>
        <input
          type="checkbox"
          aria-label={`Select ${shownAs}`}
          tabIndex={inTabOrder}
          checked={chosen}
          onChange={() => props.onToggle(id)}
        />
      </td>
      <td>
        <a
          href={`/identities/${id}`}
          data-open={id}
          tabIndex={inTabOrder}
          title={shownAs}
          className={classes.identifier}
        >
          {identifier ?? <em>no identifier</em>}
        </a>
        <div className={classes.narrow}>
          {name !== undefined && <span className={classes.line}>{name}</span>}
          <span className={classes.line}>
            updated <RelativeTime at={updated_at} />
          </span>
        </div>
      </td>
      <td className={classes.medium}>{name}</td>
      <td>
        <StatusDot status={state === 'active' ? 'good' : 'off'}>{stateInWords(state)}</StatusDot>
      </td>
      <td className={classes.wide}>
        <RelativeTime at={created_at} />
      </td>
      <td className={classes.medium}>
        <RelativeTime at={updated_at} />
      </td>
      <td className={classes.wide}>
        <span className={classes.id}>
          <code title={id}>{id}</code>
          <button
            type="button"
            data-copy={id}
            tabIndex={inTabOrder}
            aria-label={`Copy the id of ${shownAs}`}
            title="Copy the id"
          >
            <IconCopy size={14} aria-hidden />
          </button>
        </span>
      </td>
    </tr>
  );
});
