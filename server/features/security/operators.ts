import type { Router } from 'express';
import type { Role } from '../../../shared/capabilities.ts';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { membersOf } from '../../../shared/json.ts';
import {
  isOperatorId,
  OPERATOR_DAYS,
  OPERATOR_NAMES_MAX,
  OPERATORS_MAX,
  type OperatorList,
  type OperatorNames,
  type OperatorsMissing,
} from '../../../shared/security.ts';
import { identityService } from '../../../shared/upstreams.ts';
import type { AuditSearch } from '../../audit/search.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { cachedByKey, mapConcurrently } from '../../caches.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context.ts';
import { badRequest } from '../../http/errors.ts';
import { textParameter } from '../../http/parameters.ts';
import { readRoutes } from '../../http/response.ts';
import type { IdentityIndex } from '../../search-index/search-index.ts';
import { NothingIndexed } from '../../search-index/thread.ts';
import type { ClaimsOperators } from '../../session/claims-operators.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { routeError, UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { IdentityNames } from './names.ts';

/** Finds operators with a role, up to a maximum, and says why others may be missing. */
type WithRole = (most: number) => Promise<{ value: HasRole[]; missing: OperatorsMissing | null }>;

interface HasRole {
  id: string;
  role: string;
  /** Undefined if only the audit trail knows it. */
  last_sign_in?: string;
}

/** Finds operators in the index, or says why it cannot: it has only traits, and only of the deployment's own store. */
export function operatorsIn(
  index: Pick<IdentityIndex, 'withRole'>,
  { auth, deployment, identityIndex, upstreams }: Pick<Config, 'auth' | 'deployment' | 'identityIndex' | 'upstreams'>,
  byClaims: Pick<ClaimsOperators, 'latest'>,
): WithRole | OperatorsMissing {
  // The table has everybody's last role, which may not exist any more.
  const hasRole = ({ role }: HasRole) => auth.roles.some((one) => one === role);
  if (auth.operators.from === 'claims')
    return async (most) => ({ value: (await byClaims.latest(most)).filter(hasRole), missing: 'provider' });
  const own = upstreams.find(({ name }) => name === identityService(deployment).adminApi);
  if (own?.url === undefined || own.url !== auth.store.url) return 'other_store';
  if (auth.roleFrom !== 'traits.role') return 'metadata_admin';
  if (identityIndex === 'off') return 'no_index';
  const schemas = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds : undefined;
  return (most) =>
    index.withRole(auth.roles, schemas, most).then(
      ({ value, complete }) => ({ value, missing: complete ? null : 'still_reading' }),
      (error) => {
        if (error instanceof NothingIndexed) return { value: [], missing: 'still_reading' };
        throw error;
      },
    );
}

const DAY_MS = 86_400_000;
/** Second factors change rarely, and each lookup is a request to the store. */
const CACHE_MS = 60_000;
const CACHED_MAX = 4 * OPERATORS_MAX;
/** The time limit for all requests together; second factors that have not been read by then are reported as unknown. */
const WITHIN_MS = 4_000;

/**
 * The operators of the dashboard, according to their store's index and the audit trail.
 * @param options.store undefined if none is configured: second factors are then unknown
 * @param options.withRole finds identities with a role, or says why it cannot
 */
export function operatorList(options: {
  search: Pick<AuditSearch, 'lastLogins'>;
  store: IdentityStore | undefined;
  withRole: WithRole | OperatorsMissing;
  roles: readonly Role[];
  clock: Clock;
}): () => Promise<OperatorList> {
  const { search, store, withRole, roles: known } = options;
  const { now, monotonic } = options.clock;
  /** `secondFactor` is null for identities that no longer exist. */
  const secondFactors = cachedByKey<boolean | null>({ max: CACHED_MAX, ms: CACHE_MS, monotonic });

  /** @throws UpstreamFailure */
  async function readSecondFactor(identityId: string, timeoutMs: number): Promise<boolean | null> {
    if (store === undefined) throw new UpstreamFailure('not_configured');
    if (timeoutMs <= 0) throw new UpstreamFailure('timeout');
    // The response includes the `webauthn` configuration, whose secrets must not be passed on.
    const identity = await store.identity(identityId, ['webauthn'], { timeoutMs });
    return identity === undefined ? null : hasSecondFactor(identity.credentials);
  }

  return async () => {
    const since = new Date(now() - OPERATOR_DAYS * DAY_MS).toISOString();
    const logins = await search.lastLogins(since, OPERATORS_MAX + 1);
    const found = typeof withRole === 'string' ? undefined : await withRole(OPERATORS_MAX + 1);
    const roles = new Map(found?.value.map((one) => [one.id, one]));
    const all = new Map<string, { role: unknown; at: string | null }>();
    for (const { actor, timestamp, details } of logins)
      all.set(actor, { role: roles.get(actor)?.role ?? details['role'], at: timestamp });
    for (const [id, { role, last_sign_in: at = null }] of roles) if (!all.has(id)) all.set(id, { role, at });
    const listed = [...all].slice(0, OPERATORS_MAX);
    const deadline = monotonic() + WITHIN_MS;
    const operators = await mapConcurrently(listed, async ([id, { role, at }]) => ({
      identity_id: id,
      role: known.find((one) => one === role) ?? null,
      last_login_at: at,
      second_factor: await secondFactors
        .get(id, () => readSecondFactor(id, Math.floor(deadline - monotonic())))
        .catch(nullIfUnavailable),
    }));
    const missing = typeof withRole === 'string' ? withRole : (found?.missing ?? null);
    return { operators, truncated: all.size > listed.length, missing };
  };
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof UpstreamFailure) return null;
  throw error;
}

/**
 * Kratos lists `webauthn` for everyone whose schema has an identifier for it, and passkeys as a type of their own, so
 * only the configuration shows whether a key is registered.
 */
function hasSecondFactor(credentials: Record<string, unknown>): boolean {
  if (credentials['totp'] !== undefined) return true;
  const { config } = membersOf(credentials['webauthn']);
  const keys = membersOf(config)['credentials'];
  return Array.isArray(keys) && keys.length > 0;
}

/** `GET /api/security/operators/names`. Looking up an identifier is recorded as a search for identities. */
export const operatorNamesRouter = (identities: IdentityNames, audit: Pick<AuditTrail, 'record'>): Router =>
  readRoutes({
    '/': async (req, res) => {
      const { ids, identifier } = parseNamesQuery(req.query);
      const adminId = sessionOf(res).identityId;
      if (identifier !== undefined)
        await audit.record({ action: 'identity_search', adminId, searchFilter: identifier });
      const names = identifier === undefined ? identities.names(ids) : identities.find(identifier);
      const found = await names.catch((error) => Promise.reject(routeError(error)));
      res.json({ names: found } satisfies OperatorNames);
    },
  });

/** @throws 400 `bad_request` for anything but up to 100 ids or one identifier */
function parseNamesQuery({ id, identifier }: Record<string, unknown>) {
  if ((id === undefined) === (identifier === undefined))
    throw badRequest('id', 'or identifier must be given, but not both');
  const ids: unknown[] = id === undefined ? [] : [id].flat();
  if (ids.length > OPERATOR_NAMES_MAX) throw badRequest('id', `must be given at most ${OPERATOR_NAMES_MAX} times`);
  const refusal = () =>
    badRequest(
      'identifier',
      `must be given once, with 1 to ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters and no control characters`,
    );
  if (identifier === '') throw refusal();
  return {
    ids: ids.map((one) => {
      const id = typeof one === 'string' ? one.toLowerCase() : '';
      if (!isOperatorId(id)) throw badRequest('id', 'must be the id of an operator');
      return id;
    }),
    identifier: textParameter(identifier, CREDENTIALS_IDENTIFIER_MAX_CHARACTERS, refusal),
  };
}
