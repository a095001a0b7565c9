import { membersOf } from '../../shared/json.ts';
import { isUuid } from '../../shared/uuid.ts';
import { type AdminClient, type AdminClientOptions, type AdminLimits, adminClient } from './admin-client.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** One identity as Kratos stores it; of what else it says only what somebody here asks for. */
export interface StoredIdentity {
  id: string;
  schemaId: unknown;
  /** Only `active` ones can sign in. */
  active: boolean;
  traits: Record<string, unknown>;
  /** By type; with secrets for the types asked for by `include_credential`, which must not leave this service. */
  credentials: Record<string, unknown>;
}

/** An identity service's admin API (Kratos). */
export interface IdentityStore extends AdminClient {
  /**
   * @param includeCredentials credential types to read whole (`include_credential`)
   * @returns undefined when the store says that there is none
   * @throws UpstreamFailure for anything but a clear answer: an outage is not an absence
   */
  identity(
    id: string,
    includeCredentials?: readonly string[],
    limits?: AdminLimits,
  ): Promise<StoredIdentity | undefined>;
  /** How many identities there are; null when the store does not say. */
  count(): Promise<number | null>;
}

export function identityStore(options: AdminClientOptions): IdentityStore {
  const client = adminClient(options);
  return {
    ...client,
    async identity(id, includeCredentials, limits) {
      // Nothing but a UUID ever becomes part of a store's address.
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
    async count() {
      // Only the older page mode counts, and a page of one makes it the cheapest question (Kratos' X-Total-Count).
      const { totalCount } = await client.get('/admin/identities', { page: 0, per_page: 1 });
      return totalCount ?? null;
    },
  };
}

function identityIn(body: unknown, id: string): StoredIdentity {
  const identity = membersOf(body);
  if (String(identity['id']).toLowerCase() !== id.toLowerCase()) throw new UpstreamFailure('nonsense');
  return {
    id,
    schemaId: identity['schema_id'],
    active: identity['state'] === 'active',
    traits: membersOf(identity['traits']),
    credentials: membersOf(identity['credentials']),
  };
}

/** Kratos' own 404 has the code in its body; that of a gateway in front of it, or of a wrong address, has not. */
function saysAbsent(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.answer?.status !== 404) return false;
  try {
    return membersOf(membersOf(JSON.parse(error.answer.text))['error'])['code'] === 404;
  } catch {
    return false;
  }
}
