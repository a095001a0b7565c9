import type { RoleSource } from '../../shared/capabilities.ts';
import { type MarksBySchema, marksIn } from '../../shared/identity-name.ts';
import { isUuid, membersOf } from '../../shared/json.ts';
import { type AdminClient, type AdminClientOptions, type AdminLimits, adminClient } from './admin-client.ts';
import { UpstreamFailure } from './failure.ts';

/** Each holds a whole JSON schema. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: 2_000 };
const FRESH_MS = 5 * 60_000;
const AGAIN_MS = 60_000;

/**
 * What the schemas of an identity service mark, read from its public API every few minutes. While they cannot be read,
 * what was known; never rejects.
 * @param elapsed milliseconds on a monotonic clock
 */
export function schemaMarks(
  client: Pick<AdminClient, 'list'>,
  elapsed: () => number = () => performance.now(),
): () => Promise<MarksBySchema> {
  let known: MarksBySchema = {};
  let reading: Promise<MarksBySchema> | undefined;
  let freshUntil = Number.NEGATIVE_INFINITY;

  async function read(): Promise<MarksBySchema> {
    try {
      known = marksIn((await client.list('/schemas', { per_page: 500 }, LIMITS)).items);
      freshUntil = elapsed() + FRESH_MS;
    } catch {
      freshUntil = elapsed() + AGAIN_MS;
    }
    reading = undefined;
    return known;
  }
  return async () => {
    if (elapsed() < freshUntil) return known;
    reading ??= read();
    return reading;
  };
}

/** The parts of a Kratos identity that are used here. */
export interface StoredIdentity {
  id: string;
  schemaId: unknown;
  /** Only `active` identities can sign in. */
  active: boolean;
  traits: Record<string, unknown>;
  metadataAdmin: Record<string, unknown>;
  /** By type. With `include_credential` they contain secrets, which must not leave this service. */
  credentials: Record<string, unknown>;
}

/** The admin API of an identity service (Kratos). */
export interface IdentityStore extends AdminClient {
  /**
   * @param includeCredentials credential types to read in full (`include_credential`)
   * @returns undefined if the store reports that it does not exist
   * @throws UpstreamFailure for anything but a clear response: an outage is not an absence
   */
  identity(
    id: string,
    includeCredentials?: readonly string[],
    limits?: AdminLimits,
  ): Promise<StoredIdentity | undefined>;
  /**
   * A session with its identity and devices, as the store has it.
   * @returns undefined if the store reports that it does not exist
   */
  session(id: string): Promise<unknown>;
  /** Which traits its schemas mark as identifiers; empty while they cannot be read. Never rejects. */
  marks(): Promise<MarksBySchema>;
  /** The number of identities; null if the store does not report it. */
  count(): Promise<number | null>;
}

/** The role that an identity carries, whatever it says. */
export const roleOf = (identity: Pick<StoredIdentity, 'traits' | 'metadataAdmin'>, from: RoleSource): unknown =>
  (from === 'traits.role' ? identity.traits : identity.metadataAdmin)['role'];

/** @param publicApi has the schemas; without it, nothing is known of them */
export function identityStore(
  options: AdminClientOptions,
  publicApi: AdminClientOptions = { ...options, url: undefined },
): IdentityStore {
  const client = adminClient(options);
  return {
    ...client,
    marks: schemaMarks(adminClient(publicApi)),
    async identity(id, includeCredentials, limits) {
      // Only a UUID may become part of a store's URL.
      if (!isUuid(id)) return undefined;
      try {
        const query = { include_credential: includeCredentials };
        const { body } = await client.get(`/admin/identities/${id}`, query, limits);
        return identityIn(body, id);
      } catch (error) {
        if (saysAbsent(error)) return undefined;
        throw error;
      }
    },
    async session(id) {
      if (!isUuid(id)) return undefined;
      try {
        return (await client.get(`/admin/sessions/${id}`, { expand: ['identity', 'devices'] })).body;
      } catch (error) {
        if (saysAbsent(error)) return undefined;
        throw error;
      }
    },
    async count() {
      // Only the older pagination returns a count (Kratos' X-Total-Count); a page of one is the cheapest request.
      const { totalCount } = await client.get('/admin/identities', { page: 0, per_page: 1 });
      return totalCount ?? null;
    },
  };
}

function identityIn(body: unknown, id: string): StoredIdentity {
  const identity = storedIdentity(body);
  if (identity.id.toLowerCase() !== id.toLowerCase()) throw new UpstreamFailure('nonsense');
  return { ...identity, id };
}

/** @param body an identity as the admin API shows it */
export function storedIdentity(body: unknown): StoredIdentity {
  const identity = membersOf(body);
  return {
    id: String(identity['id']),
    schemaId: identity['schema_id'],
    active: identity['state'] === 'active',
    traits: membersOf(identity['traits']),
    metadataAdmin: membersOf(identity['metadata_admin']),
    credentials: membersOf(identity['credentials']),
  };
}

/** Kratos' own 404 has the code in its body; a gateway's, or that of a wrong address, does not. */
function saysAbsent(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.answer?.status !== 404) return false;
  try {
    return membersOf(membersOf(JSON.parse(error.answer.text))['error'])['code'] === 404;
  } catch {
    return false;
  }
}
