import type { ActEvent, AuditEvent } from '../../server/audit/audit-event.ts';
import type { Database } from '../../server/db/database.ts';
import { auditOn } from './vault.ts';

export const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
export const BOB = 'd1b2c3d4-0000-4000-8000-000000000002';
export const PERSON = '00000000-0000-4000-8000-00000000000f';
/** When the first record of a mixed trail was made. */
export const BEGIN = Date.UTC(2026, 0, 1);

/** Acts of every kind by two operators and a stranger, in an order that repeats only after long. */
export function mixedEvent(index: number): AuditEvent {
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

/** Several records share a millisecond, and the clock now and then steps back. */
const timeOf = (index: number): number => BEGIN + Math.floor(index / 4) * 1000 - (index % 50 === 49 ? 30_000 : 0);

/** Appends `count` records, from the one with this index on. */
export async function appendMixed(database: Database, count: number, from = 0): Promise<void> {
  let index = from;
  const { audit } = auditOn(database, undefined, () => timeOf(index));
  for (; index < from + count; index += 1) {
    const event = mixedEvent(index);
    // The queue takes the time at once and writes fifty at a time.
    if (event.action === 'identity_search') {
      await audit.drain();
      await audit.record(event);
    } else audit.queue(event);
  }
  await audit.drain();
}
