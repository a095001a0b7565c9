import type { SandboxDatabase } from '../sandbox-database.ts';
import type { ClientDocument } from './client-document.ts';

export interface StoredClient {
  document: ClientDocument;
  /** Null if the client has none. */
  secretHash: string | null;
}

export interface ClientFilter {
  name: string | undefined;
  owner: string | undefined;
}

export interface ClientStore {
  find(id: string): StoredClient | undefined;
  /** At most `limit` clients after `after`, by id. */
  page(after: string, limit: number, filter: ClientFilter): ClientDocument[];
  write(client: StoredClient): void;
  /** Returns false if it did not exist. Also deletes its consents and tokens. */
  remove(id: string): boolean;
}

export function clientStore(database: SandboxDatabase): ClientStore {
  const byId = database.prepare<[string], { document: string; secret_hash: string | null }>(
    'SELECT document, secret_hash FROM clients WHERE id = ?',
  );
  const page = database.prepare<object, { document: string }>(
    `SELECT document FROM clients
     WHERE id > @after AND (@name IS NULL OR name = @name) AND (@owner IS NULL OR owner = @owner) ORDER BY id LIMIT @limit`,
  );
  const write = database.prepare(
    `INSERT INTO clients (id, name, owner, secret_hash, document) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, owner = excluded.owner,
       secret_hash = excluded.secret_hash, document = excluded.document`,
  );
  const remove = database.prepare('DELETE FROM clients WHERE id = ?');
  return {
    find: (id) => {
      const row = byId.get(id);
      return row && { document: JSON.parse(row.document) as ClientDocument, secretHash: row.secret_hash };
    },
    page: (after, limit, { name = null, owner = null }: { name?: string | null; owner?: string | null }) =>
      page.all({ after, limit, name, owner }).map(({ document }) => JSON.parse(document) as ClientDocument),
    write: ({ document, secretHash }) => {
      write.run(document.client_id, document.client_name, document.owner, secretHash, JSON.stringify(document));
    },
    remove: (id) => remove.run(id).changes > 0,
  };
}
