import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AUDIT_ACTIONS, CHANGE_ACTIONS } from '../../../shared/audit.ts';
import type { NamedSubject } from '../../../shared/security.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { useOperator } from '../../api/session.ts';
import { useNameOf } from '../../audit/record-list.tsx';
import { actorPart, shortId, thingOf } from '../../audit/record-sentence.ts';
import { FilterChips, type UseFilters } from '../../list/filters.tsx';
import { IconCheck } from '../../ui/shell-icons.tsx';
import { filterIn } from './search-params.ts';
import classes from './security.module.css';
import { formatWhen, WhenPanel } from './when-panel.tsx';
import { WhoPanel } from './who-panel.tsx';

const route = getRouteApi('/signed-in/security/audit');

/** Changes the filters in the URL. */
function useAuditFilter() {
  const filter = filterIn({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const isChanges = filter.changes === 'true';
  const change = (changed: { [Name in keyof AuditFilter]?: string | undefined }, replace = false): void => {
    // The URL always says whether it means changes only, since a default would depend on the other filters.
    const next = filterIn({ ...filter, changes: String(isChanges), ...changed });
    void navigate({ search: ({ page_size }) => ({ ...next, ...(page_size && { page_size }) }), replace });
  };
  return { filter, isChanges, change };
}

const useFilters: UseFilters = () => {
  const { identityId } = useOperator();
  const { filter, change } = useAuditFilter();
  const { action = '', actor = '', subject = '', from = '', to = '' } = filter;
  const thing = thingOf(subject);
  // A record that names both.
  const record = { action: 'logout', actor, target: null, subject: subject as NamedSubject, details: {} } as const;
  const nameOf = useNameOf([record]);
  const when = from === '' && to === '' ? '' : `${from}..${to}`;
  return {
    filters: [
      { name: 'actor', label: 'Who', Panel: WhoPanel, words: actorPart(record, identityId, nameOf).text },
      {
        name: 'subject',
        label: 'About',
        example: 'setting:mail.from',
        words: thing && (nameOf(thing) ?? `${thing.kind} ${shortId(thing.id)}`),
      },
      { name: 'when', label: 'When', Panel: WhenPanel, words: formatWhen(filter) },
      { name: 'action', label: 'What', choices: ACTION_NAMES },
    ],
    search: { action, actor, subject, when },
    change: ({ when: period = when, ...changed }, typing) => {
      const [first, last] = period.split('..');
      const chosen = changed['action'];
      // Reads are never among the changes.
      const all = chosen !== undefined && !isChange(chosen) && { changes: 'false' };
      change({ ...changed, from: first, to: last, ...all }, typing);
    },
  };
};

/** Who, about what, when and what; and whether the trail shows changes only. */
export function AuditFilters() {
  const { filter, isChanges, change } = useAuditFilter();
  return (
    <>
      <FilterChips useFilters={useFilters} />
      <Button
        variant={isChanges ? 'light' : 'default'}
        fz="xs"
        leftSection={isChanges && <IconCheck size={14} />}
        className={classes.toggle}
        aria-pressed={isChanges}
        title={isChanges ? 'Show everything, also sign-ins and reads' : 'Hide sign-ins and reads'}
        onClick={() =>
          change({ changes: String(!isChanges), ...(!isChanges && !isChange(filter.action) && { action: '' }) })
        }
      >
        Changes only
      </Button>
    </>
  );
}

const isChange = (action: string | undefined): boolean => CHANGE_ACTIONS.some((one) => one === action);

const ACTION_NAMES: readonly { value: string; label: string }[] = AUDIT_ACTIONS.map((action) => ({
  value: action,
  label: {
    login: 'Sign-ins',
    login_refused: 'Refused sign-ins',
    logout: 'Sign-outs',
    setting_write: 'Settings saved',
    setting_delete: 'Settings deleted',
    setting_decrypt: 'Settings revealed',
    setting_restore: 'Settings restored',
    setting_forget: 'Earlier versions of settings removed',
    value_encrypt: 'Values encrypted',
    session_revoke: 'Dashboard sessions ended',
    account_unlock: 'Accounts unlocked',
    identity_search: 'Identities listed or searched',
    proxy_write: 'Changes through an admin API',
    audit_anchor: 'Trail sealed after a change of key',
    audit_prune: 'Trail pruned',
  }[action],
}));
