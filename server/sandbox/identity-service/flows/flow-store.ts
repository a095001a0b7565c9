import { randomUUID } from 'node:crypto';
import type { SandboxDatabase } from '../../sandbox-database.ts';

export interface Flow {
  id: string;
  kind: 'login' | 'recovery' | 'verification';
  /** Milliseconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
  /** Whose account the secret unlocks; absent until a known address has requested one. */
  identityId?: string;
  /** Six digits, mailed or displayed, or a token in a link. */
  secret?: string;
}

export interface FlowStore {
  begin(flow: Omit<Flow, 'id' | 'issuedAt'>): Flow;
  /** Undefined if it is unknown, of another kind, or expired. */
  find(id: string, kind: Flow['kind']): Flow | undefined;
  replace(flow: Flow): void;
  end(id: string): void;
}

/** @param now milliseconds since the epoch */
export function flowStore(database: SandboxDatabase, now: () => number): FlowStore {
  const byId = database.prepare<[string, number], { document: string }>(
    'SELECT document FROM flows WHERE id = ? AND expires_at > ?',
  );
  const write = database.prepare('INSERT OR REPLACE INTO flows (id, expires_at, document) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM flows WHERE id = ? OR expires_at <= ?');
  const replace = (flow: Flow) => write.run(flow.id, flow.expiresAt, JSON.stringify(flow));
  return {
    begin: (options) => {
      const flow: Flow = { id: randomUUID(), issuedAt: now(), ...options };
      replace(flow);
      return flow;
    },
    find: (id, kind) => {
      const row = byId.get(id, now());
      const flow = row && (JSON.parse(row.document) as Flow);
      return flow?.kind === kind ? flow : undefined;
    },
    replace,
    end: (id) => {
      remove.run(id, now());
    },
  };
}

export const FLOW_LIFESPAN_MS = 3_600_000;
