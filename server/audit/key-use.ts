import type { Database } from '../db/database.ts';
import { readAnchors } from './audit-anchor.ts';
import type { AuditChain, TaggedRecord } from './audit-chain.ts';
import type { ActEvent } from './audit-event.ts';
import { LAST_PRUNED, readStart } from './trail-start.ts';

/** A record's sequence and its time (ISO 8601). */
export interface RecordPlace {
  sequence: number;
  at: string;
}

/** The records signed with a key, given by its id in the chain; undefined if there are none. */
export interface AuditKeyUse {
  /** Its time is that of the key's first record even if that was pruned under the same key. */
  first(keyId: string): Promise<RecordPlace | undefined>;
  last(keyId: string): Promise<RecordPlace | undefined>;
  /** Up to which record anchors of the current key vouch for the trail; 0 if there is no anchor. */
  anchoredTo(): Promise<number>;
}

export function auditKeyUse(database: Database, chain: Pick<AuditChain, 'keyIds' | 'isGenuine'>): AuditKeyUse {
  const place = (order: 'asc' | 'desc') => {
    const statement = database.statement<RecordPlace>(
      `select sequence, recorded_at as at from audit_log where key_id = ? and sequence > ${LAST_PRUNED}
       order by sequence ${order} limit 1`,
    );
    return (keyId: string) => statement.get(keyId);
  };
  const firstKept = place('asc');
  const prunes = database.statement<TaggedRecord>(
    `select sequence, key_id, previous_tag, tag, record from audit_log where action = 'audit_prune' and key_id = ?`,
  );
  const start = readStart(database);
  const anchors = readAnchors(database, {
    isGenuine: (record) => record.key_id === chain.keyIds.current && chain.isGenuine(record),
  });
  return {
    async first(keyId) {
      const [kept, pruned] = await Promise.all([firstKept(keyId), prunes.all(keyId)]);
      const since = pruned.filter(chain.isGenuine).flatMap(keySince);
      return kept && { ...kept, at: [kept.at, ...since].sort()[0] as string };
    },
    last: place('desc'),
    anchoredTo: async () => (await anchors(await start())).at(-1)?.upTo ?? 0,
  };
}

function keySince({ record }: TaggedRecord): string[] {
  const since = (JSON.parse(record) as ActEvent).details?.['key_since'];
  return typeof since === 'string' ? [since] : [];
}
