import type { Database } from '../db/database.ts';

/** When a key made records, by the chain's own id of it. Times are ISO 8601; undefined: it made none. */
export interface AuditKeyUse {
  first(keyId: string): Promise<string | undefined>;
  last(keyId: string): Promise<string | undefined>;
}

export function auditKeyUse(database: Database): AuditKeyUse {
  const at = (order: 'asc' | 'desc') => {
    const statement = database.statement<{ recorded_at: string }>(
      `select recorded_at from audit_log where key_id = ? order by sequence ${order} limit 1`,
    );
    return async (keyId: string) => (await statement.get(keyId))?.recorded_at;
  };
  return { first: at('asc'), last: at('desc') };
}
