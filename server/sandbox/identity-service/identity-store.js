import { normalised, uniqueValues } from './identity-document.js';
/** Another identity already has one of the identifiers, addresses or the external id. */
export class IdentityConflict extends Error {}
const AFTER = 'SELECT document FROM identities WHERE id > @after';
const ORDER = 'ORDER BY id LIMIT @limit';
const FILTERS = {
  ids: 'id IN (SELECT value FROM json_each(@value))',
  // Social sign-ins are `provider:subject` and compared as they are; the others in their normal form.
  identifier: `id IN (
    SELECT identity_id FROM identifiers WHERE kind IN ('password', 'webauthn', 'code') AND value = @normalised
    UNION SELECT identity_id FROM identifiers WHERE kind IN ('oidc', 'saml') AND value = @value)`,
  similar: `id IN (SELECT identity_id FROM identifiers
    WHERE value >= @normalised AND value < @normalised || char(1114111) AND kind IN ('password', 'webauthn', 'code', 'oidc', 'saml'))`,
  organization: "json_extract(document, '$.organization_id') = @value",
};
export function identityStore(database) {
  const one = (condition) => database.prepare(`SELECT document FROM identities WHERE ${condition}`);
  const byId = one('id = ?');
  const byExternalId = one('external_id = ?');
  const byIdentifier = one('id = (SELECT identity_id FROM identifiers WHERE kind = ? AND value = ?)');
  const all = database.prepare(`${AFTER} ${ORDER}`);
  const filtered = {
    ids: database.prepare(`${AFTER} AND ${FILTERS.ids} ${ORDER}`),
    identifier: database.prepare(`${AFTER} AND ${FILTERS.identifier} ${ORDER}`),
    similar: database.prepare(`${AFTER} AND ${FILTERS.similar} ${ORDER}`),
    organization: database.prepare(`${AFTER} AND ${FILTERS.organization} ${ORDER}`),
  };
  const numbered = database.prepare('SELECT document FROM identities ORDER BY id LIMIT ? OFFSET ?');
  const count = database.prepare('SELECT count(*) AS total FROM identities');
  const insert = database.prepare('INSERT INTO identities (id, external_id, document) VALUES (?, ?, ?)');
  const update = database.prepare('UPDATE identities SET external_id = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM identities WHERE id = ?');
  const claim = database.prepare('INSERT INTO identifiers (kind, value, identity_id) VALUES (?, ?, ?)');
  const release = database.prepare('DELETE FROM identifiers WHERE identity_id = ?');
  const parsed = (row) => row && JSON.parse(row.document);
  const parsedAll = (rows) => rows.map((row) => JSON.parse(row.document));
  const inOneStep = database.transaction((identity, write) => {
    release.run(identity.id);
    write();
    for (const { kind, value } of uniqueValues(identity)) claim.run(kind, value, identity.id);
  });
  const written = (identity, write) => {
    try {
      inOneStep(identity, write);
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT'))
        throw new IdentityConflict('a unique value is taken', { cause: error });
      throw error;
    }
  };
  return {
    find: (id) => parsed(byId.get(id)),
    findByExternalId: (externalId) => parsed(byExternalId.get(externalId)),
    findByIdentifier: (kind, value) => parsed(byIdentifier.get(kind, value)),
    page: (after, limit, filter) => {
      if (filter === undefined) return parsedAll(all.all({ after, limit }));
      const value = filterValue(filter);
      return parsedAll(filtered[filter.by].all({ after, limit, ...value }));
    },
    pageByNumber: (page, size) => parsedAll(numbered.all(size, page * size)),
    count: () => count.get()?.total ?? 0,
    insert: (identity) =>
      written(identity, () => insert.run(identity.id, identity.external_id ?? null, JSON.stringify(identity))),
    replace: (identity) =>
      written(identity, () => update.run(identity.external_id ?? null, JSON.stringify(identity), identity.id)),
    remove: (id) => remove.run(id).changes > 0,
  };
}
function filterValue(filter) {
  switch (filter.by) {
    case 'ids':
      return { value: JSON.stringify(filter.ids.map((id) => id.toLowerCase())) };
    case 'identifier':
      return { value: filter.identifier, normalised: normalised(filter.identifier) };
    case 'similar':
      return { normalised: normalised(filter.prefix) };
    case 'organization':
      return { value: filter.organizationId };
  }
}
