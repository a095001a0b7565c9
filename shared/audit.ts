export const AUDIT_ACTIONS = [
  'login',
  'login_refused',
  'logout',
  'setting_write',
  'setting_delete',
  'setting_decrypt',
  'setting_restore',
  'setting_forget',
  'value_encrypt',
  'session_revoke',
  'account_unlock',
  'recovery_start',
  'note_write',
  'note_delete',
  'identity_search',
  'proxy_write',
  'audit_anchor',
  'audit_prune',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

const UNCHANGING: readonly AuditAction[] = [
  'login',
  'login_refused',
  'logout',
  'setting_decrypt',
  'value_encrypt',
  'identity_search',
  'audit_anchor',
];
/** Actions that change something or attempt to; the filter `?changes=true` selects them. */
export const CHANGE_ACTIONS: readonly AuditAction[] = AUDIT_ACTIONS.filter((action) => !UNCHANGING.includes(action));

/** Additional facts of a record. In a `proxy_write`, `changed` lists the changed members as JSON pointers. */
export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>;

/** A record of the trail; all actions have the same members. */
export interface AuditRecord {
  /** Its position in the chain. */
  sequence: number;
  timestamp: string;
  action: AuditAction;
  /** The operator's identity id, `anonymous`, `command-line`, or `service`. */
  actor: string;
  /** What the action was applied to: the key of a setting, the id of an identity, a path, or the text of a search. */
  target: string | null;
  subject: AuditSubject | null;
  details: AuditDetails;
}

/** What a record is about; the audit trail can be filtered by it. */
export type AuditSubject = `${'identity' | 'setting' | 'client' | 'session'}:${string}`;

/** `GET /api/security/audit`, newest first. */
export interface AuditPage {
  events: AuditRecord[];
  next_page_token: string | null;
  has_more: boolean;
}

/**
 * `GET /api/security/audit/chain`: `whole` only if every record up to `head` is verified. Until then, and while new
 * records are being verified, it is `checking`.
 */
export interface AuditChainState {
  status: 'whole' | 'broken' | 'checking';
  /** Sequence of the last verified record; 0 for none. */
  verified_to: number;
  /** Sequence of the newest record. */
  head: number;
  /** Sequence of the first broken record. */
  broken_at: number | null;
  as_of: string;
}
