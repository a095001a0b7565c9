import type { SandboxDatabase } from '../sandbox-database.ts';
import { type IdentityDocument, uniqueValues } from './identity-document.ts';

/** Another identity already has one of the identifiers, addresses or the external id. */
export class IdentityConflict extends Error {}

export interface IdentityStore {
  find(id: string): IdentityDocument | undefined;
  findByIdentifier(kind: string, value: string): IdentityDocument | undefined;
  /** @throws IdentityConflict */
  insert(identity: IdentityDocument): void;
  /** Replaces the stored document of the same id. @throws IdentityConflict */
  replace(identity: IdentityDocument): void;
  /** False when there was none. Its sessions go with it. */
  remove(id: string): boolean;
}

interface Row {
  document: string;
}

export function identityStore(database: SandboxDatabase): IdentityStore {
  const byId = database.prepare<[string], Row>('SELECT document FROM identities WHERE id = ?');
  const byIdentifier = database.prepare<[string, string], Row>(
    'SELECT document FROM identities WHERE id = (SELECT identity_id FROM identifiers WHERE kind = ? AND value = ?)',
  );
  const insert = database.prepare('INSERT INTO identities (id, external_id, document) VALUES (?, ?, ?)');
  const update = database.prepare('UPDATE identities SET external_id = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM identities WHERE id = ?');
  const claim = database.prepare('INSERT INTO identifiers (kind, value, identity_id) VALUES (?, ?, ?)');
  const release = database.prepare('DELETE FROM identifiers WHERE identity_id = ?');

  const parsed = (row: Row | undefined) => row && (JSON.parse(row.document) as IdentityDocument);
  const claimAll = (identity: IdentityDocument) => {
    for (const { kind, value } of uniqueValues(identity)) claim.run(kind, value, identity.id);
  };
  const inOneStep = (work: () => void) => {
    try {
      database.transaction(work)();
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT'))
        throw new IdentityConflict('a unique value is taken', { cause: error });
      throw error;
    }
  };

  return {
    find: (id) => parsed(byId.get(id)),
    findByIdentifier: (kind, value) => parsed(byIdentifier.get(kind, value)),
    insert: (identity) =>
      inOneStep(() => {
        insert.run(identity.id, identity.external_id ?? null, JSON.stringify(identity));
        claimAll(identity);
      }),
    replace: (identity) =>
      inOneStep(() => {
        release.run(identity.id);
        update.run(identity.external_id ?? null, JSON.stringify(identity), identity.id);
        claimAll(identity);
      }),
    remove: (id) => remove.run(id).changes > 0,
  };
}
