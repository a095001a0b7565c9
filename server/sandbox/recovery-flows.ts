import { randomUUID } from 'node:crypto';
import { documentIn, type Row, type SandboxDatabase } from './sandbox-database.ts';

export interface Flow {
  id: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The person who recovers the account; absent if nobody has the address. */
  identityId?: string;
  /** Six digits, mailed or displayed, or a token in a link. */
  secret?: string;
}

export function flowStore(database: SandboxDatabase, now: () => number) {
  const byId = database.prepare<[string, number], Row>('SELECT document FROM flows WHERE id = ? AND expires_at > ?');
  const insert = database.prepare('INSERT INTO flows (id, expires_at, document) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM flows WHERE id = ? OR expires_at <= ?');
  return {
    begin: (lifespan: number, identityId?: string, secret?: string): Flow => {
      const flow: Flow = { id: randomUUID(), expiresAt: now() + lifespan, identityId, secret };
      insert.run(flow.id, flow.expiresAt, JSON.stringify(flow));
      return flow;
    },
    /** Undefined if it is unknown or expired. */
    find: (id: string) => documentIn<Flow>(byId.get(id, now())),
    end: (id: string): void => {
      remove.run(id, now());
    },
  };
}
