import assert from 'node:assert/strict';
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
