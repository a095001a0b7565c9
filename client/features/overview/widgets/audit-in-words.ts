import type { AuditAction, AuditRecord } from '../../../../shared/audit.ts';

const ACTS: Record<AuditAction, (what: string) => string> = {
  login: () => 'signed in',
  login_refused: () => 'was refused a sign-in',
  logout: () => 'signed out',
  setting_write: (what) => `saved the setting ${what}`,
  setting_delete: (what) => `deleted the setting ${what}`,
  setting_decrypt: (what) => `revealed the setting ${what}`,
  value_encrypt: () => 'encrypted a value',
  session_revoke: (what) => `ended the session ${what}`,
  account_unlock: (what) => `unlocked ${what}`,
  identity_search: (what) => (what === '' ? 'listed identities' : `searched identities for ${what}`),
  proxy_write: (what) => `changed ${what}`,
};

const ACTORS: Record<string, string> = { anonymous: 'Somebody', 'command-line': 'The command line' };

/** A record as one sentence: `1f0c2a9b signed in`. An operator is named by the beginning of their identifier. */
export function auditInWords({ action, actor, target }: Pick<AuditRecord, 'action' | 'actor' | 'target'>): string {
  const who = ACTORS[actor] ?? actor.slice(0, 8);
  return `${who} ${ACTS[action]?.(target ?? '') ?? action}`;
}
