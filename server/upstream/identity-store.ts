import type { RoleSource } from '../../shared/capabilities.ts';
import { type MarksBySchema, marksIn } from '../../shared/identity-name.ts';
import { attempt, isUuid, membersOf, text } from '../../shared/json.ts';
import { cachedFor } from '../caches.ts';
import { type AdminClient, type AdminClientOptions, type AdminLimits, adminClient } from './admin-client.ts';
import { UpstreamFailure } from './failure.ts';

/** The parts of a Kratos identity that are used here. */
export type StoredIdentity = ReturnType<typeof storedIdentity>;

/** The role of an identity, unvalidated. */
export const roleOf = (identity: Pick<StoredIdentity, 'traits' | 'metadataAdmin'>, from: RoleSource): unknown =>
  (from === 'traits.role' ? identity.traits : identity.metadataAdmin)['role'];

export type IdentityStore = ReturnType<typeof identityStore>;

/**
 * The admin API of an identity service (Kratos).
 * @param publicApi serves the schemas; without it, there are no marks
 */
export function identityStore(
  options: AdminClientOptions,
  publicApi: AdminClientOptions = { ...options, url: undefined },
) {
  const client = adminClient(options);

  /** @throws UpstreamFailure unless the store clearly says that it does or does not exist */
  async function find(
    collection: 'identities' | 'sessions' | 'courier/messages',
    id: string,
    query: { [name: string]: readonly string[] | undefined },
    limits?: AdminLimits,
  ): Promise<unknown> {
    // Only a UUID may become part of a store's URL.
    if (!isUuid(id)) return undefined;
    try {
      return (await client.get(`/admin/${collection}/${id}`, query, limits)).body;
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }

  return {
    ...client,
    /** The traits that the schemas mark as identifiers; empty while the schemas cannot be read. Never rejects. */
    marks: schemaMarks(adminClient(publicApi)),
    /**
     * @param includeCredentials credential types to read in full (`include_credential`)
     * @returns undefined if the store reports that it does not exist
     */
    async identity(
      id: string,
      includeCredentials?: readonly string[],
      limits?: AdminLimits,
    ): Promise<StoredIdentity | undefined> {
      const body = await find('identities', id, { include_credential: includeCredentials }, limits);
      if (body === undefined) return undefined;
      const identity = storedIdentity(body);
      if (identity.id.toLowerCase() !== id.toLowerCase()) throw new UpstreamFailure('nonsense');
      return { ...identity, id };
    },
    /**
     * A session with its identity and devices.
     * @returns undefined if the store reports that it does not exist
     */
    session: (id: string, limits?: AdminLimits): Promise<unknown> =>
      find('sessions', id, { expand: ['identity', 'devices'] }, limits),
    /** A message to a person. @returns undefined if the store reports that it does not exist */
    message: (id: string, limits?: AdminLimits): Promise<unknown> => find('courier/messages', id, {}, limits),
    /** The number of identities; null if the store does not report it. */
    async count(): Promise<number | null> {
      // Only the older pagination returns a count (Kratos' X-Total-Count); a page of one is the cheapest request.
      const { totalCount } = await client.get('/admin/identities', { page: 0, per_page: 1 });
      return totalCount ?? null;
    },
  };
}

/** @param body an identity as the admin API returns it */
export function storedIdentity(body: unknown) {
  const identity = membersOf(body);
  return {
    id: text(identity['id']),
    schemaId: identity['schema_id'],
    /** Only `active` identities can sign in. */
    active: identity['state'] === 'active',
    traits: membersOf(identity['traits']),
    metadataAdmin: membersOf(identity['metadata_admin']),
    recoveryAddresses: [identity['recovery_addresses']].flat().map(membersOf),
    /** The credentials by type. With `include_credential` they contain secrets, which must not leave this service. */
    credentials: membersOf(identity['credentials']),
  };
}

/** The body of Kratos' own 404 contains the code; a 404 from a gateway or from a wrong address does not. */
function isAbsence(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.response?.status !== 404) return false;
  const { text } = error.response;
  return membersOf(membersOf(attempt(() => JSON.parse(text)))['error'])['code'] === 404;
}

/** Each page contains whole JSON schemas. */
const SCHEMA_LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: 2_000 };
const FRESH_MS = 5 * 60_000;
const RETRY_MS = 60_000;

/** Reads the marks at most every five minutes. While they cannot be read, the previous ones remain in use. */
function schemaMarks(client: AdminClient): () => Promise<MarksBySchema> {
  let marks: MarksBySchema = {};
  async function read(): Promise<void> {
    marks = marksIn((await client.list('/schemas', { per_page: 500 }, SCHEMA_LIMITS)).items);
  }
  const refresh = cachedFor(FRESH_MS, read, () => performance.now(), RETRY_MS);
  return async () => {
    await refresh().catch(() => {});
    return marks;
  };
}
