import type { Database } from '../db/database.ts';
import { readAnchors } from './audit-anchor.ts';
import type { AuditChain } from './audit-chain.ts';

/** A record's sequence and its time (ISO 8601). */
export interface RecordPlace {
  sequence: number;
  at: string;
}

/** The records signed with a key, given by its id in the chain; undefined if there are none. */
export interface AuditKeyUse {
  first(keyId: string): Promise<RecordPlace | undefined>;
  last(keyId: string): Promise<RecordPlace | undefined>;
  /** Up to which record anchors of the current key vouch for the trail; 0 if there is no anchor. */
  anchoredTo(): Promise<number>;
}

export function auditKeyUse(database: Database, chain: Pick<AuditChain, 'keyIds' | 'isGenuine'>): AuditKeyUse {
  const place = (order: 'asc' | 'desc') => {
    const statement = database.statement<RecordPlace>(
      `select sequence, recorded_at as at from audit_log where key_id = ? order by sequence ${order} limit 1`,
    );
    return (keyId: string) => statement.get(keyId);
  };
  const anchors = readAnchors(database, {
    isGenuine: (record) => record.key_id === chain.keyIds.current && chain.isGenuine(record),
  });
  return {
    first: place('asc'),
    last: place('desc'),
    anchoredTo: async () => (await anchors()).at(-1)?.upTo ?? 0,
  };
}
