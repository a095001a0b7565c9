import { Router } from 'express';
import { ROLES } from '../../../shared/capabilities.ts';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { isUuid, membersOf } from '../../../shared/json.ts';
import {
  OPERATOR_DAYS,
  OPERATOR_NAMES_MAX,
  OPERATORS_MAX,
  type OperatorList,
  type OperatorNames,
  type OperatorSummary,
  type OperatorsMissing,
} from '../../../shared/security.ts';
import { identityService } from '../../../shared/upstreams.ts';
import type { AuditSearch } from '../../audit/search.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Config } from '../../config/config.ts';
import { badRequest, methodNotAllowed } from '../../http/errors.ts';
import { textParameter } from '../../http/parameters.ts';
import { type IdentityIndex, NothingIndexed } from '../../search-index/index.ts';
import type { PersonWithRole } from '../../search-index/people.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { routeError, UpstreamFailure } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { OperatorNaming } from './names.ts';

/** How the index finds operators, or why it cannot: it holds traits, of the deployment's own store. */
export function operatorsIn(
  index: Pick<IdentityIndex, 'withRole'>,
  { auth, deployment, identityIndex, upstreams }: Pick<Config, 'auth' | 'deployment' | 'identityIndex' | 'upstreams'>,
): WithRole | OperatorsMissing {
  const own = upstreams.find(({ name }) => name === identityService(deployment).adminApi);
  if (own?.url === undefined || own.url !== auth.store.url) return 'other_store';
  if (auth.roleFrom !== 'traits.role') return 'metadata_admin';
  if (identityIndex === 'off') return 'no_index';
  const schemas = Array.isArray(auth.operatorSchemaIds) ? auth.operatorSchemaIds : undefined;
  return (most) =>
    index.withRole(schemas, most).catch((error): OperatorsMissing => {
      if (error instanceof NothingIndexed) return 'still_reading';
      throw error;
    });
}

/** The operators of the dashboard, according to their store's index and the audit trail. */
export interface Operators {
  list(): Promise<OperatorList>;
}

/** At most so many people with a role, and whether all of the store has been read; undefined where there is no index. */
export type WithRole = (most: number) => Promise<{ value: PersonWithRole[]; complete: boolean } | OperatorsMissing>;

const DAY_MS = 86_400_000;
/** Second factors change rarely, and each lookup is a request to the store. */
const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 4 * OPERATORS_MAX;
const AT_ONCE = 8;
/** For all requests together; what is not known by then is reported as unknown. */
const WITHIN_MS = 4_000;

/**
 * @param options.store undefined if none is configured: second factors are then unknown
 * @param options.withRole people with a role, or why they are not known
 * @param options.now milliseconds since the epoch
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function operators(options: {
  search: AuditSearch;
  store: IdentityStore | undefined;
  withRole: WithRole | OperatorsMissing;
  now: () => number;
  elapsed: () => number;
}): Operators {
  const { search, store, withRole, now, elapsed } = options;
  /** Null for identities that no longer exist. */
  const remembered = new Map<string, { secondFactor: boolean | null; until: number }>();

  /** Null if the store has no such identity, or does not respond, which is not remembered. */
  async function secondFactorOf(identityId: string, timeoutMs: number): Promise<boolean | null> {
    const known = remembered.get(identityId);
    if (known !== undefined && known.until > elapsed()) return known.secondFactor;
    if (store === undefined || timeoutMs <= 0) return null;
    try {
      // Includes the `webauthn` configuration; the secrets it holds go no further than this line.
      const identity = await store.identity(identityId, ['webauthn'], { timeoutMs });
      const secondFactor = identity === undefined ? null : hasSecondFactor(identity.credentials);
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(identityId, { secondFactor, until: elapsed() + REMEMBER_MS });
      return secondFactor;
    } catch (error) {
      if (error instanceof UpstreamFailure) return null;
      throw error;
    }
  }

  async function allSecondFactors(identityIds: readonly string[]): Promise<Map<string, boolean | null>> {
    const found = new Map<string, boolean | null>();
    const deadline = elapsed() + WITHIN_MS;
    const waiting = identityIds[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (const id of waiting) found.set(id, await secondFactorOf(id, Math.floor(deadline - elapsed())));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return found;
  }

  return {
    async list() {
      const since = new Date(now() - OPERATOR_DAYS * DAY_MS).toISOString();
      const logins = await search.lastLogins(since, OPERATORS_MAX + 1);
      const indexed = typeof withRole === 'string' ? withRole : await withRole(OPERATORS_MAX + 1);
      const roles = new Map(typeof indexed === 'string' ? [] : indexed.value.map(({ id, role }) => [id, role]));
      const all = new Map<string, { role: unknown; at: string | null }>();
      for (const { actor, timestamp, details } of logins)
        all.set(actor, { role: roles.get(actor) ?? details['role'], at: timestamp });
      for (const [id, role] of roles) if (!all.has(id)) all.set(id, { role, at: null });
      const shown = [...all].slice(0, OPERATORS_MAX);
      const factors = await allSecondFactors(shown.map(([id]) => id));
      return {
        operators: shown.map(
          ([id, { role, at }]): OperatorSummary => ({
            identity_id: id,
            role: ROLES.find((known) => known === role) ?? null,
            last_login_at: at,
            second_factor: factors.get(id) ?? null,
          }),
        ),
        truncated: all.size > shown.length,
        missing: typeof indexed === 'string' ? indexed : indexed.complete ? null : 'still_reading',
      };
    },
  };
}

/**
 * Kratos lists `webauthn` for everyone whose schema has an identifier for it, and a passkey as a type of its own: only
 * the configuration tells whether a key is registered.
 */
export function hasSecondFactor(credentials: Record<string, unknown>): boolean {
  if (credentials['totp'] !== undefined) return true;
  const { config } = membersOf(credentials['webauthn']);
  const keys = membersOf(config)['credentials'];
  return Array.isArray(keys) && keys.length > 0;
}

/**
 * `GET /api/security/operators`, and `…/names`: their names. Looking someone up by an identifier is a search for
 * identities and is recorded as one.
 */
export function operatorsRouter(
  operators: Operators,
  naming: OperatorNaming,
  audit: Pick<AuditTrail, 'record'>,
): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (_req, res) => {
    res.json(await operators.list());
  });
  router.get('/names', async (req, res) => {
    const { ids, identifier } = parseNamesQuery(req.query);
    if (identifier !== undefined)
      await audit.record({
        action: 'identity_search',
        adminId: sessionOf(res).identityId,
        searchFilter: identifier,
      });
    const lookup = identifier === undefined ? naming.names(ids) : naming.find(identifier);
    const names = await lookup.catch((error) => {
      throw routeError(error);
    });
    res.json({ names } satisfies OperatorNames);
  });
  router.all(['/', '/names'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** @throws 400 `bad_request` for anything but up to 100 ids or one identifier */
function parseNamesQuery({ id, identifier }: Record<string, unknown>): {
  ids: string[];
  identifier?: string | undefined;
} {
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
      if (typeof one !== 'string' || !isUuid(one)) throw badRequest('id', 'must be a UUID');
      return one.toLowerCase();
    }),
    identifier: textParameter(identifier, CREDENTIALS_IDENTIFIER_MAX_CHARACTERS, refusal),
  };
}
