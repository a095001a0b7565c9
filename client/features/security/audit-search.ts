import { AUDIT_ACTIONS } from '../../../shared/audit.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { momentOf, onClock } from '../../lib/time-zone.ts';
import { type PagedSearch, pagedSearch } from '../../list/cursor-list.ts';

/** The search parameters of the trail. Texts are kept as they are: the service says what is wrong with them. */
export interface AuditSearch extends PagedSearch, AuditFilter {}

export const FILTER_NAMES = [
  'action',
  'actor',
  'subject',
  'from',
  'to',
  'changes',
] as const satisfies (keyof AuditFilter)[];

export const auditSearch = (search: Record<string, unknown>): AuditSearch => ({
  ...filterIn(search),
  ...pagedSearch(search),
});

/** The filters that are not empty. */
export function filterIn(search: Record<string, unknown>): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of FILTER_NAMES) {
    const text = typeof search[name] === 'string' ? search[name].trim() : '';
    if (text !== '') filter[name] = text;
  }
  return filter;
}

export const isFiltered = (filter: AuditFilter): boolean => FILTER_NAMES.some((name) => filter[name] !== undefined);

/** Actions with their names in the filter, in the order of `AUDIT_ACTIONS`. */
export const ACTION_NAMES: readonly { value: string; label: string }[] = AUDIT_ACTIONS.map((action) => ({
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

/** What the filter "What" chooses: an action, or all that change something. */
export const CHANGES = 'changes';

/** The parameters of a choice in the filter "What". */
export const chosen = (choice: string): { action: string; changes: string } =>
  choice === CHANGES ? { action: '', changes: 'true' } : { action: choice, changes: '' };

/** For a field of type `datetime-local`, in the operator's time zone, with seconds where there are any; '' for no time. */
export function localTime(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const shifted = onClock(date).toISOString();
  return shifted.endsWith(':00.000Z') ? shifted.slice(0, 16) : shifted.slice(0, 23);
}

/** The value of such a field as a time in UTC; undefined if it is empty. */
export function utcTime(local: string): string | undefined {
  const shown = Date.parse(`${local}Z`);
  return Number.isNaN(shown) ? undefined : momentOf(shown).toISOString();
}

/** Quick choices of `from`, which move with the clock. */
export const RANGES: readonly { label: string; from: string }[] = [
  { label: 'Last hour', from: '1h' },
  { label: 'Last 24 hours', from: '24h' },
  { label: 'Last 7 days', from: '168h' },
  { label: 'Last 30 days', from: '720h' },
];
