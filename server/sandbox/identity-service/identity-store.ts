import type { SandboxDatabase } from '../sandbox-database.ts';

/** An identity as stored: as in Kratos' responses but without `schema_url`, which depends on the port. */
export interface IdentityDocument {
  id: string;
  external_id?: string;
  credentials: Record<string, Credential>;
  schema_id: string;
  state: 'active' | 'inactive';
  state_changed_at: string;
  traits: Record<string, unknown>;
  verifiable_addresses: VerifiableAddress[];
  recovery_addresses: RecoveryAddress[];
  metadata_public: unknown;
  metadata_admin: unknown;
  created_at: string;
  updated_at: string;
  organization_id: string | null;
}

export interface Credential {
  type: string;
  identifiers: string[];
  config: Record<string, unknown>;
  version: number;
  created_at: string;
  updated_at: string;
}

export interface RecoveryAddress {
  id: string;
  value: string;
  via: string;
  created_at: string;
  updated_at: string;
}

export interface VerifiableAddress extends RecoveryAddress {
  verified: boolean;
  status: 'pending' | 'sent' | 'completed';
  verified_at?: string | null;
}

/** The form in which login identifiers and addresses are compared. */
export const normalised = (value: string): string => value.trim().toLowerCase();

/** Values that must be unique among identities: the identifiers of each credential type, and addresses. */
export function uniqueValues(identity: IdentityDocument): { kind: string; value: string }[] {
  return [
    ...Object.values(identity.credentials).flatMap(({ type, identifiers }) =>
      identifiers.map((value) => ({ kind: type, value })),
    ),
    ...identity.verifiable_addresses.map(({ via, value }) => ({ kind: `verifiable-${via}`, value })),
    ...identity.recovery_addresses.map(({ via, value }) => ({ kind: `recovery-${via}`, value })),
  ];
}

export interface IdentityView {
  /** Base URL of the public port, without trailing slash; undefined leaves `schema_url` empty. */
  publicUrl: string | undefined;
  credentials?: boolean;
  /** Credential types whose configuration is included, hashes and all. */
  includeConfig?: readonly string[];
  /** Credential types just written, whose dates Kratos does not read back. */
  fresh?: readonly string[];
  addresses?: boolean;
  adminMetadata?: boolean;
}

/** An identity as in Kratos' responses, without empty and unexpanded members. */
export function identityAnswer(identity: IdentityDocument, view: IdentityView): Record<string, unknown> {
  const { publicUrl, credentials = false, addresses = true, adminMetadata = true } = view;
  const { verifiable_addresses, recovery_addresses } = identity;
  return {
    id: identity.id,
    external_id: identity.external_id || undefined,
    credentials: credentials ? credentialAnswers(identity.credentials, view) : undefined,
    schema_id: identity.schema_id,
    schema_url: publicUrl === undefined ? '' : schemaUrl(publicUrl, identity.schema_id),
    state: identity.state,
    state_changed_at: identity.state_changed_at,
    traits: identity.traits,
    verifiable_addresses: addresses && verifiable_addresses.length > 0 ? verifiable_addresses : undefined,
    recovery_addresses: addresses && recovery_addresses.length > 0 ? recovery_addresses : undefined,
    metadata_public: identity.metadata_public,
    metadata_admin: adminMetadata ? identity.metadata_admin : undefined,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    organization_id: identity.organization_id,
  };
}

const schemaUrl = (publicUrl: string, schemaId: string): string =>
  `${publicUrl}/schemas/${Buffer.from(schemaId).toString('base64url')}`;

const ZERO_TIME = '0001-01-01T00:00:00Z';

function credentialAnswers(
  credentials: Record<string, Credential>,
  { includeConfig = [], fresh = [] }: IdentityView,
): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [type, { config, created_at, updated_at, ...rest }] of Object.entries(credentials)) {
    const dates = fresh.includes(type) ? { created_at: ZERO_TIME, updated_at: ZERO_TIME } : { created_at, updated_at };
    answers[type] = { ...rest, ...(includeConfig.includes(type) ? { config } : {}), ...dates };
  }
  return answers;
}

/** One of the identifiers, addresses or the external id belongs to another identity. */
export class IdentityConflict extends Error {}

export type IdentityFilter =
  | { by: 'ids'; ids: readonly string[] }
  | { by: 'identifier'; identifier: string }
  | { by: 'similar'; prefix: string }
  | { by: 'organization'; organizationId: string };

export interface IdentityStore {
  find(id: string): IdentityDocument | undefined;
  findByExternalId(externalId: string): IdentityDocument | undefined;
  /** @param kind a credential's type, or `recovery-email` and the like */
  findByIdentifier(kind: string, value: string): IdentityDocument | undefined;
  /** At most `limit` identities after `after`, by id. */
  page(after: string, limit: number, filter: IdentityFilter | undefined): IdentityDocument[];
  pageByNumber(page: number, size: number): IdentityDocument[];
  count(): number;
  /** @throws IdentityConflict */
  insert(identity: IdentityDocument): void;
  /** Replaces the stored document with the same id. @throws IdentityConflict */
  replace(identity: IdentityDocument): void;
  /** Returns false if it did not exist. Also deletes its sessions. */
  remove(id: string): boolean;
}

interface Row {
  document: string;
}

const AFTER = 'SELECT document FROM identities WHERE id > @after';
const ORDER = 'ORDER BY id LIMIT @limit';
const FILTERS: Record<IdentityFilter['by'], string> = {
  ids: 'id IN (SELECT value FROM json_each(@value))',
  // Social identifiers are `provider:subject` and compared verbatim; all others normalised.
  identifier: `id IN (
    SELECT identity_id FROM identifiers WHERE kind IN ('password', 'webauthn', 'code') AND value = @normalised
    UNION SELECT identity_id FROM identifiers WHERE kind IN ('oidc', 'saml') AND value = @value)`,
  similar: `id IN (SELECT identity_id FROM identifiers
    WHERE value >= @normalised AND value < @normalised || char(1114111) AND kind IN ('password', 'webauthn', 'code', 'oidc', 'saml'))`,
  organization: "json_extract(document, '$.organization_id') = @value",
};

export function identityStore(database: SandboxDatabase): IdentityStore {
  const one = (condition: string) =>
    database.prepare<unknown[], Row>(`SELECT document FROM identities WHERE ${condition}`);
  const byId = one('id = ?');
  const byExternalId = one('external_id = ?');
  const byIdentifier = one('id = (SELECT identity_id FROM identifiers WHERE kind = ? AND value = ?)');
  const all = database.prepare<object, Row>(`${AFTER} ${ORDER}`);
  const filtered = {
    ids: database.prepare<object, Row>(`${AFTER} AND ${FILTERS.ids} ${ORDER}`),
    identifier: database.prepare<object, Row>(`${AFTER} AND ${FILTERS.identifier} ${ORDER}`),
    similar: database.prepare<object, Row>(`${AFTER} AND ${FILTERS.similar} ${ORDER}`),
    organization: database.prepare<object, Row>(`${AFTER} AND ${FILTERS.organization} ${ORDER}`),
  };
  const numbered = database.prepare<[number, number], Row>(
    'SELECT document FROM identities ORDER BY id LIMIT ? OFFSET ?',
  );
  const count = database.prepare<[], { total: number }>('SELECT count(*) AS total FROM identities');
  const insert = database.prepare('INSERT INTO identities (id, external_id, document) VALUES (?, ?, ?)');
  const update = database.prepare('UPDATE identities SET external_id = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM identities WHERE id = ?');
  const claim = database.prepare('INSERT INTO identifiers (kind, value, identity_id) VALUES (?, ?, ?)');
  const release = database.prepare('DELETE FROM identifiers WHERE identity_id = ?');

  const parsed = (row: Row | undefined) => row && (JSON.parse(row.document) as IdentityDocument);
  const parsedAll = (rows: Row[]) => rows.map((row) => JSON.parse(row.document) as IdentityDocument);
  const inOneStep = database.transaction((identity: IdentityDocument, write: () => void) => {
    release.run(identity.id);
    write();
    for (const { kind, value } of uniqueValues(identity)) claim.run(kind, value, identity.id);
  });
  const written = (identity: IdentityDocument, write: () => void) => {
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

function filterValue(filter: IdentityFilter): { value?: string; normalised?: string } {
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
