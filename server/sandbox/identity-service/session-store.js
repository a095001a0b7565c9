const COLUMNS = 'SELECT document, identity_id, token FROM sessions';
const NEWEST_FIRST = 'ORDER BY created_at DESC, id';
const IS_ACTIVE = '(active = 1 AND expires_at >= @now)';
/** @param now milliseconds since the epoch */
export function sessionStore(database, now) {
  const byId = database.prepare(`${COLUMNS} WHERE id = ?`);
  const byToken = database.prepare(`${COLUMNS} WHERE token = ?`);
  const insert = database.prepare(
    'INSERT INTO sessions (id, token, identity_id, active, created_at, expires_at, document) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE sessions SET active = ?, expires_at = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM sessions WHERE identity_id = ?');
  const filtered = (condition, end) => {
    const list = (activity) => database.prepare(`${COLUMNS} WHERE ${condition} AND ${activity} ${NEWEST_FIRST} ${end}`);
    const statements = { all: list('@now = @now'), active: list(IS_ACTIVE), inactive: list(`NOT ${IS_ACTIVE}`) };
    return (active) => (active === undefined ? statements.all : active ? statements.active : statements.inactive);
  };
  const pages = filtered('created_at <= @createdAt AND (created_at < @createdAt OR id > @id)', 'LIMIT @limit');
  const ofIdentity = filtered('identity_id = @identityId AND id <> @except', '');
  const stored = (row) => ({
    document: JSON.parse(row.document),
    identityId: row.identity_id,
    token: row.token,
  });
  const one = (row) => row && stored(row);
  return {
    insert: ({ document, identityId, token }) => {
      const { id, active, issued_at, expires_at } = document;
      insert.run(
        id,
        token,
        identityId,
        active ? 1 : 0,
        Date.parse(issued_at),
        Date.parse(expires_at),
        JSON.stringify(document),
      );
    },
    replace: ({ document }) => {
      update.run(document.active ? 1 : 0, Date.parse(document.expires_at), JSON.stringify(document), document.id);
    },
    find: (id) => one(byId.get(id)),
    findByToken: (token) => one(byToken.get(token)),
    page: (after, limit, active) =>
      pages(active)
        .all({ ...after, limit, now: now() })
        .map(stored),
    ofIdentity: (identityId, active, except = '') =>
      ofIdentity(active).all({ identityId, except, now: now() }).map(stored),
    removeOfIdentity: (identityId) => remove.run(identityId).changes,
  };
}
