import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { SandboxDatabase } from './sandbox-database.ts';

interface Row {
  payload: string;
}

/**
 * The OpenID provider's storage.
 * @param findClient the registered client with this id, in the provider's format
 * @param now milliseconds since the epoch
 */
export function openidAdapter(
  database: SandboxDatabase,
  findClient: (id: string) => AdapterPayload | undefined,
  now: () => number,
): AdapterFactory {
  const seconds = () => Math.floor(now() / 1000);
  const byId = database.prepare<[string, string, number], Row>(
    'SELECT payload FROM openid WHERE model = ? AND id = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const byUid = database.prepare<[string, string, number], Row>(
    'SELECT payload FROM openid WHERE model = ? AND uid = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const insert = database.prepare(
    'INSERT OR REPLACE INTO openid (model, id, grant_id, uid, payload, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const consume = database.prepare(
    "UPDATE openid SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?",
  );
  const remove = database.prepare('DELETE FROM openid WHERE model = ? AND id = ?');
  // Interactions also have a grant id and must outlive the grant.
  const revoke = database.prepare("DELETE FROM openid WHERE grant_id = ? AND model = 'AuthorizationCode'");
  const sweep = database.prepare('DELETE FROM openid WHERE expires_at <= ?');
  const parsed = (row: Row | undefined) =>
    row === undefined ? undefined : (JSON.parse(row.payload) as AdapterPayload);

  return (model): Adapter => ({
    async upsert(id, payload, expiresIn) {
      // No single sign-on: every sign-in asks again, like an OAuth server that does not remember logins.
      if (model === 'Session') return;
      sweep.run(seconds());
      const expiresAt = expiresIn === undefined ? null : seconds() + expiresIn;
      insert.run(model, id, payload.grantId ?? null, payload.uid ?? null, JSON.stringify(payload), expiresAt);
    },
    find: async (id) => (model === 'Client' ? findClient(id) : parsed(byId.get(model, id, seconds()))),
    findByUid: async (uid) => parsed(byUid.get(model, uid, seconds())),
    findByUserCode: async () => undefined,
    async consume(id) {
      consume.run(seconds(), model, id);
    },
    async destroy(id) {
      remove.run(model, id);
    },
    async revokeByGrantId(grantId) {
      revoke.run(grantId);
    },
  });
}
