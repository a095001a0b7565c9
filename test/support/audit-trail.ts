import type { ActEvent, AuditEvent } from '../../server/audit/event.ts';
import type { AuditTrail } from '../../server/audit/trail.ts';
import type { Database } from '../../server/db/database.ts';
import { auditOn } from './vault.ts';

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
