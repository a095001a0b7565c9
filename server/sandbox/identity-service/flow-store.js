import { randomUUID } from 'node:crypto';
/** @param now milliseconds since the epoch */
export function flowStore(database, now) {
  const byId = database.prepare('SELECT document FROM flows WHERE id = ? AND expires_at > ?');
  const write = database.prepare('INSERT OR REPLACE INTO flows (id, expires_at, document) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM flows WHERE id = ? OR expires_at <= ?');
  const replace = (flow) => write.run(flow.id, flow.expiresAt, JSON.stringify(flow));
  return {
    begin: (options) => {
      const flow = { id: randomUUID(), issuedAt: now(), ...options };
      replace(flow);
      return flow;
    },
    find: (id, kind) => {
      const row = byId.get(id, now());
      const flow = row && JSON.parse(row.document);
      return flow?.kind === kind ? flow : undefined;
    },
    replace,
    end: (id) => {
      remove.run(id, now());
    },
  };
}
export const FLOW_LIFESPAN_MS = 3_600_000;
