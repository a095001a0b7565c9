export function clientStore(database) {
  const byId = database.prepare('SELECT document, secret_hash FROM clients WHERE id = ?');
  const page = database.prepare(`SELECT document FROM clients
     WHERE id > @after AND (@name IS NULL OR name = @name) AND (@owner IS NULL OR owner = @owner) ORDER BY id LIMIT @limit`);
  const write = database.prepare(
    'INSERT OR REPLACE INTO clients (id, name, owner, secret_hash, document) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM clients WHERE id = ?');
  return {
    find: (id) => {
      const row = byId.get(id);
      return row && { document: JSON.parse(row.document), secretHash: row.secret_hash };
    },
    page: (after, limit, { name = null, owner = null }) =>
      page.all({ after, limit, name, owner }).map(({ document }) => JSON.parse(document)),
    write: ({ document, secretHash }) => {
      write.run(document.client_id, document.client_name, document.owner, secretHash, JSON.stringify(document));
    },
    remove: (id) => remove.run(id).changes > 0,
  };
}
