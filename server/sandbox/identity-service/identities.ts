import { documentQuery, type SandboxDatabase } from '../sandbox-database.ts';
import { recordEvent } from '../telemetry.ts';
import { conflict } from './errors.ts';

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

/** The normalised form in which login identifiers and addresses are compared. */
export const normalised = (value: string): string => value.trim().toLowerCase();

/** Values that must be unique among identities: the identifiers of each credential type, and addresses. */
function uniqueValues(identity: IdentityDocument): { kind: string; value: string }[] {
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

/** An identity as in Kratos' responses, without empty or unexpanded members. */
export function identityBody(identity: IdentityDocument, view: IdentityView): Record<string, unknown> {
  const { publicUrl, credentials = false, addresses = true, adminMetadata = true } = view;
  const { external_id, schema_id, verifiable_addresses, recovery_addresses, metadata_admin } = identity;
  return {
    ...identity,
    external_id: external_id || undefined,
    credentials: credentials ? credentialBodies(identity.credentials, view) : undefined,
    schema_url: publicUrl === undefined ? '' : `${publicUrl}/schemas/${Buffer.from(schema_id).toString('base64url')}`,
    verifiable_addresses: addresses && verifiable_addresses.length > 0 ? verifiable_addresses : undefined,
    recovery_addresses: addresses && recovery_addresses.length > 0 ? recovery_addresses : undefined,
    metadata_admin: adminMetadata ? metadata_admin : undefined,
  };
}

const ZERO_TIME = '0001-01-01T00:00:00Z';

function credentialBodies(
  credentials: Record<string, Credential>,
  { includeConfig = [], fresh = [] }: IdentityView,
): Record<string, unknown> {
  const bodies: Record<string, unknown> = {};
  for (const [type, { config, created_at, updated_at, ...rest }] of Object.entries(credentials)) {
    const dates = fresh.includes(type) ? { created_at: ZERO_TIME, updated_at: ZERO_TIME } : { created_at, updated_at };
    bodies[type] = { ...rest, ...(includeConfig.includes(type) ? { config } : {}), ...dates };
  }
  return bodies;
}

/** For `ids`, the value is a JSON list. */
export interface IdentityFilter {
  by: 'ids' | 'identifier' | 'prefix';
  value: string;
}

export type IdentityStore = ReturnType<typeof identityStore>;

export function identityStore(database: SandboxDatabase) {
  const query = (rest: string) => documentQuery<IdentityDocument>(database, `SELECT document FROM identities ${rest}`);
  const byId = query('WHERE id = ?');
  const byExternalId = query('WHERE external_id = ?');
  const byIdentifier = query('WHERE id = (SELECT identity_id FROM identifiers WHERE kind = ? AND value = ?)');
  const list = (condition: string) => query(`WHERE id > @after AND ${condition} ORDER BY id LIMIT @limit`);
  /** By the name of a filter. */
  const lists = {
    none: list('true'),
    ids: list('id IN (SELECT value FROM json_each(@value))'),
    // Social identifiers are `provider:subject` and compared verbatim; all others normalised.
    identifier: list(`id IN (
      SELECT identity_id FROM identifiers WHERE kind IN ('password', 'webauthn', 'code') AND value = @normalised
      UNION SELECT identity_id FROM identifiers WHERE kind IN ('oidc', 'saml') AND value = @value)`),
    prefix: list(`id IN (SELECT identity_id FROM identifiers
      WHERE value >= @normalised AND value < @normalised || char(1114111) AND kind IN ('password', 'webauthn', 'code', 'oidc', 'saml'))`),
  };
  const numbered = query('ORDER BY id LIMIT ? OFFSET ?');
  const count = database.prepare<[], { total: number }>('SELECT count(*) AS total FROM identities');
  const insert = database.prepare('INSERT INTO identities (id, external_id, document) VALUES (?, ?, ?)');
  const update = database.prepare('UPDATE identities SET external_id = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM identities WHERE id = ?');
  const claim = database.prepare('INSERT INTO identifiers (kind, value, identity_id) VALUES (?, ?, ?)');
  const release = database.prepare('DELETE FROM identifiers WHERE identity_id = ?');

  const inOneStep = database.transaction((identity: IdentityDocument, write: () => void) => {
    release.run(identity.id);
    write();
    for (const { kind, value } of uniqueValues(identity)) claim.run(kind, value, identity.id);
  });
  const writing = (event: string, identity: IdentityDocument, refusal: () => Error, write: () => void): void => {
    try {
      inOneStep(identity, write);
      recordEvent(event, { IdentityID: identity.id });
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT'))
        throw refusal();
      throw error;
    }
  };

  return {
    find: (id: string) => byId.get(id),
    findByExternalId: (externalId: string) => byExternalId.get(externalId),
    /** @param kind a credential's type, or `recovery-email` and the like */
    findByIdentifier: (kind: string, value: string) => byIdentifier.get(kind, value),
    /** At most `limit` identities after `after`, by id. */
    page: (after: string, limit: number, filter: IdentityFilter | undefined): IdentityDocument[] => {
      const { by, value } = filter ?? { by: 'none', value: '' };
      return lists[by].all({ after, limit, value, normalised: normalised(value) });
    },
    pageByNumber: (page: number, size: number) => numbered.all(size, page * size),
    count: () => count.get()?.total ?? 0,
    /** @throws the refusal if an identifier, an address or the external id belongs to another identity */
    insert: (identity: IdentityDocument, refusal = conflict): void =>
      writing('IdentityCreated', identity, refusal, () =>
        insert.run(identity.id, identity.external_id ?? null, JSON.stringify(identity)),
      ),
    /** Replaces the stored document with the same id. @throws IdentityServiceError 409, as `insert` does */
    replace: (identity: IdentityDocument): void =>
      writing('IdentityUpdated', identity, conflict, () =>
        update.run(identity.external_id ?? null, JSON.stringify(identity), identity.id),
      ),
    /** Returns false if it did not exist. Also deletes its sessions. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
  };
}
