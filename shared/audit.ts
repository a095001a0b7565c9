/** What the audit trail records. */
export const AUDIT_ACTIONS = [
  'login',
  'login_refused',
  'logout',
  'setting_write',
  'setting_delete',
  'setting_decrypt',
  'value_encrypt',
  'session_revoke',
  'account_unlock',
  'identity_search',
  'proxy_write',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
