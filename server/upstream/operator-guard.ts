import { ROLES, type RoleSource } from '../../shared/capabilities.ts';
import { isUuid, membersOf, text } from '../../shared/json.ts';
import { IDENTITIES_PATH } from '../../shared/upstreams.ts';
import { ApiError } from '../http/errors.ts';
import { routeError, UpstreamFailure } from './failure.ts';
import { type IdentityStore, roleOf, type StoredIdentity, storedIdentity } from './identity-store.ts';

/** Whom an act concerns: an identity, the one of a session, or those that sign in with an identifier. */
export type Concerned = { identity: string } | { session: string } | { identifier: string };

const REFUSED = new ApiError('forbidden', {
  message: 'This is the account of an operator: only an administrator can do this.',
  hint: null,
});

/** More identities than can share an identifier. */
const PAGE_SIZE = 20;

/**
 * Keeps operators' identities from roles that may not act on them. An identity of the operators' store is an operator's
 * if it has any of our roles, enabled or not, or one of the operators' schemas. Nothing is cached: a role may have been
 * given a second ago.
 */
export function operatorGuard(options: {
  auth: { operators: { from: string }; roleFrom: RoleSource; operatorSchemaIds: readonly string[] | 'any' | undefined };
  /** The operators' store, and the deployment's own identities. */
  operators: IdentityStore | undefined;
  identities: IdentityStore;
}) {
  const { auth, operators: store, identities } = options;
  const { roleFrom, operatorSchemaIds } = auth;
  const schemas: readonly unknown[] = Array.isArray(operatorSchemaIds) ? operatorSchemaIds : [];

  const isOperator = (identity: StoredIdentity): boolean =>
    schemas.includes(identity.schemaId) || ROLES.some((role) => role === roleOf(identity, roleFrom));

  /** The identities of the operators' store that are concerned. */
  async function found(concerned: Concerned): Promise<(StoredIdentity | undefined)[]> {
    if (store === undefined) throw new UpstreamFailure('not_configured');
    if (!('identifier' in concerned)) {
      const id = await identityOf(concerned);
      if (id === undefined) return [];
      // The store would report that it does not exist.
      if (!isUuid(id)) throw new UpstreamFailure('nonsense');
      return [await store.identity(id)];
    }
    const query = { credentials_identifier: concerned.identifier, page_size: PAGE_SIZE };
    const { items, nextPageToken } = await store.list(IDENTITIES_PATH, query);
    const those = items.map(storedIdentity);
    // With another page, the store does not know the filter.
    if (nextPageToken !== undefined || !those.every(({ id }) => isUuid(id))) throw new UpstreamFailure('nonsense');
    return those;
  }

  /** Undefined for the id of a session that does not exist. */
  async function identityOf(concerned: { identity: string } | { session: string }): Promise<string | undefined> {
    if ('identity' in concerned) return concerned.identity;
    const session = await identities.session(concerned.session);
    return session === undefined ? undefined : text(membersOf(membersOf(session)['identity'])['id']);
  }

  /**
   * Asks the store whether an act concerns an operator.
   * @param self the id of the operator who acts
   * @throws ApiError 403 (`refusal`) if it does, or concerns themselves; 502 or 504 if the store does not respond
   */
  return async (concerned: Concerned, self: string, refusal = REFUSED): Promise<void> => {
    // Operators by claims have no identity.
    if (auth.operators.from === 'claims') return;
    const those = await found(concerned).catch((error) => Promise.reject(routeError(error)));
    if (those.some((one) => one !== undefined && (isOperator(one) || one.id.toLowerCase() === self.toLowerCase())))
      throw refusal;
  };
}
export type OperatorGuard = ReturnType<typeof operatorGuard>;
