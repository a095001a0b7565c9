import assert from 'node:assert/strict';
import type { ActEvent, AuditEvent } from '../../server/audit/event.ts';
import { type AuditTrail, createAuditTrail } from '../../server/audit/trail.ts';
import { type Cipher, createCipher } from '../../server/crypto/cipher.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { createLog } from '../../server/log.ts';
import { createSettingsVault, type SettingsVault } from '../../server/settings/vault.ts';
import { silentLog, TEST_KEYS } from './context.ts';

export const SIGNING_KEY = 'signing-key-of-these-tests-0123456789-abcdefgh';
export const ENCRYPTION_KEY = 'encryption-key-of-these-tests-0123456789-abcde';

/** An audit trail, and the log lines that it has written. */
export function auditOn(
  database: Database,
  keys: { current: string; previous?: string } = { current: SIGNING_KEY },
  now: () => number = Date.now,
): { audit: AuditTrail; logged: () => Record<string, unknown>[] } {
  const lines: string[] = [];
  const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
  return {
    audit: createAuditTrail({ database, keys: derivedKeys(keys, 'audit'), log, now }),
    logged: () => lines.map((line) => JSON.parse(line)),
  };
}

/** A vault with a trail of its own. @returns `changed`: the keys that `onChange` was called with */
export function vaultOn(
  database: Database,
  options: { cipher?: Cipher; now?: () => number } = {},
): { vault: SettingsVault; audit: AuditTrail; changed: string[] } {
  const { cipher = createCipher({ current: ENCRYPTION_KEY }), now = Date.now } = options;
  const { audit } = auditOn(database, undefined, now);
  const changed: string[] = [];
  const onChange = (key: string): void => void changed.push(key);
  return { vault: createSettingsVault({ database, cipher, audit, onChange, now }), audit, changed };
}

/** The records of the trail in the database. */
export const auditRecords = async (database: Database): Promise<Record<string, unknown>[]> =>
  (await database.knex('audit_log').orderBy('sequence').select('record')).map(({ record }) => JSON.parse(record));

/** The number of records of an intact trail, or what is wrong with a broken one. */
export async function verifiedRecords(audit: AuditTrail): Promise<number | string> {
  const verdict = await audit.verify();
  return verdict.ok ? verdict.records : `broken at ${verdict.sequence}: ${verdict.problem}`;
}

/** Asserts that the trail of a service with the keys of the tests is intact. */
export async function assertTrailIsIntact(database: Database): Promise<void> {
  const keys = derivedKeys({ current: TEST_KEYS.SESSION_SIGNING_KEY }, 'audit-trail');
  const trail = createAuditTrail({ database, keys, log: silentLog, now: Date.now });
  assert.equal(typeof (await verifiedRecords(trail)), 'number');
}

export const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
export const BOB = 'd1b2c3d4-0000-4000-8000-000000000002';
export const PERSON = '00000000-0000-4000-8000-00000000000f';
/** Close to the most that SQLite takes in one insert. */
const ROWS_A_STATEMENT = 100;
/** The time of the first record of a mixed trail. */
export const START = Date.UTC(2026, 0, 1);

/** Acts of every kind by two operators and an anonymous caller. */
function mixedEvent(index: number): AuditEvent {
  const actor = [ADA, BOB, 'anonymous'][index % 3] as string;
  const act = (action: ActEvent['action'], target: string | null, details?: ActEvent['details']): ActEvent => ({
    action,
    actor,
    target,
    ...(details === undefined ? {} : { details }),
  });
  const details = { method: 'PATCH', status: 200, peer: '127.0.0.1' };
  switch (index % 7) {
    case 0:
      return {
        action: 'identity_search',
        adminId: actor,
        searchFilter: index % 2 ? null : `person-${index}@example.com`,
      };
    case 1:
      return act('setting_write', `key.${index % 5}`, { created: false, encrypted: true, category: null });
    case 2:
      return act('proxy_write', `/api/identity-admin/admin/identities/${PERSON}`, details);
    case 3:
      return act('login', PERSON.replace('f', String(index % 10)), { role: 'admin' });
    case 4:
      return act('setting_decrypt', `key.${index % 5}`, { opened: true });
    case 5:
      return act('proxy_write', '/api/oauth-admin/admin/clients/shop', details);
    default:
      return act('account_unlock', 'ada@example.com');
  }
}

/** Several records have the same time, and the clock sometimes steps back. */
const timeOf = (index: number): number => START + Math.floor(index / 4) * 1000 - (index % 50 === 49 ? 30_000 : 0);

/** Appends `count` records, beginning with the one at the index `from`. */
export async function appendMixedRecords(database: Database, count: number, from = 0): Promise<void> {
  const events = Array.from({ length: count }, (_, offset) => ({
    ...mixedEvent(from + offset),
    timestamp: new Date(timeOf(from + offset)).toISOString(),
  }));
  await appendAll(database, events);
}

/** Appends in one transaction, which is much faster than one for each record. */
export async function appendAll(
  database: Database,
  events: readonly AuditEvent[],
  { audit }: { audit: AuditTrail } = auditOn(database),
): Promise<void> {
  await database.transaction(async (trx) => {
    for (let at = 0; at < events.length; at += ROWS_A_STATEMENT)
      await audit.recordAll(events.slice(at, at + ROWS_A_STATEMENT), trx);
  });
}
