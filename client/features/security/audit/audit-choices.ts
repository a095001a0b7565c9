import { AUDIT_ACTIONS } from '../../../../shared/audit.ts';

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
    value_encrypt: 'Values encrypted',
    session_revoke: 'Dashboard sessions ended',
    account_unlock: 'Accounts unlocked',
    identity_search: 'Identities listed or searched',
    proxy_write: 'Changes through an admin API',
    audit_anchor: 'Trail sealed after a change of key',
  }[action],
}));

/** For a field of type `datetime-local`, in the browser's time zone, with seconds where there are any; '' for no time. */
export function localTime(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return shifted.endsWith(':00.000Z') ? shifted.slice(0, 16) : shifted.slice(0, 23);
}

/** The value of such a field as a time in UTC; undefined if it is empty. */
export function utcTime(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Quick choices of `from`, which move with the clock. */
export const RANGES: readonly { label: string; from: string }[] = [
  { label: 'Last hour', from: '1h' },
  { label: 'Last 24 hours', from: '24h' },
  { label: 'Last 7 days', from: '168h' },
  { label: 'Last 30 days', from: '720h' },
];
