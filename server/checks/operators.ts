import { CAPABILITIES, can, ROLES, type Role, roleName } from '../../shared/capabilities.ts';
import { membersOf } from '../../shared/json.ts';
import { EndlessList, pageWalk } from '../../shared/page-walk.ts';
import type { OperatorList } from '../../shared/security.ts';
import { IDENTITIES_PATH } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { rolesOf } from '../registration.ts';
import { type AdminClient, adminClient } from '../upstream/admin-client.ts';
import { failureOf, UpstreamFailure } from '../upstream/failure.ts';
import { roleOf, type StoredIdentity, storedIdentity } from '../upstream/identity-store.ts';
import { type CheckSources, type Checks, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';
import { causeOf, namedApi, STORE, API_TIMEOUT_MS as TIMEOUT_MS } from './upstreams.ts';

/** Each entry contains a whole JSON schema. */
const SCHEMA_LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: TIMEOUT_MS };
const PAGE_SIZE = 500;
const PAGES = 4;
const PAGE_LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: TIMEOUT_MS };
/** The limits of requests that check whether the store responds. */
const PROBE = { timeoutMs: 2_000 };
/** How many recent administrators are looked up. */
const RECENT = 8;
/** Roles that may change how the dashboard works, and so keep it running. */
const ADMINISTRATORS = ROLES.filter((role) => can(role, 'settings.write'));

type Auth = Config['auth'];

/** A schema of the operators' store, and the values that `traits.role` may have; undefined without that trait. */
interface OperatorSchema {
  id: string;
  roles: ReturnType<typeof rolesOf>;
}

/**
 * The schemas of the operators' store. Only its public API serves them.
 * @returns a finding if they cannot be read or the address is undefined
 */
export async function operatorSchemas({ publicUrl: url, publicUrlVariable: urlVariable }: Auth['store']) {
  const client = adminClient({ url, timeoutMs: TIMEOUT_MS, authorization: async () => undefined });
  const schemas = await client.list('/schemas', { per_page: 500 }, SCHEMA_LIMITS).catch(failureOf);
  const api = { name: `the public API of ${STORE}`, urlVariable, giveKey: 'let it serve its schemas without one' };
  if (schemas instanceof UpstreamFailure) return unknown(...causeOf(schemas, api));
  return schemas.items.map((item): OperatorSchema => {
    const { id, schema } = membersOf(item);
    return { id: String(id), roles: rolesOf(schema) };
  });
}

/** Whether identities of a schema can have one of these roles: by default, one of an administrator. */
export const canHaveRole = (
  { roles }: OperatorSchema,
  { roleFrom }: Pick<Auth, 'roleFrom'>,
  anyOf: readonly Role[] = ADMINISTRATORS,
): boolean => roleFrom !== 'traits.role' || roles === 'any' || anyOf.some((role) => roles?.includes(role));

/** Whether an identity may sign in as an administrator. */
export function isAdministrator(
  identity: StoredIdentity | undefined,
  { operatorSchemaIds: schemas, roleFrom }: Auth,
): boolean {
  const role = identity?.active && roleOf(identity, roleFrom);
  if (!identity || !ADMINISTRATORS.some((one) => one === role)) return false;
  return schemas === undefined || schemas === 'any' || schemas.some((id) => id === identity.schemaId);
}

/**
 * Looks for an administrator on the first pages of the store, which cannot be searched by schema or role.
 * @throws UpstreamFailure
 */
export async function anyAdministrator(store: Pick<AdminClient, 'list'>, auth: Auth): Promise<Finding> {
  const walk = pageWalk(PAGES);
  let read = 0;
  try {
    for (let isMore = true; isMore; ) {
      const query = { page_size: PAGE_SIZE, page_token: walk.token };
      const { items, nextPageToken } = await store.list(IDENTITIES_PATH, query, PAGE_LIMITS);
      if (items.some((identity) => isAdministrator(storedIdentity(identity), auth)))
        return pass('There is an active administrator.');
      read += items.length;
      isMore = walk.next(items.length, nextPageToken);
    }
  } catch (error) {
    if (!(error instanceof EndlessList)) throw error;
    return unknown(
      `There is none among the first ${read} identities of the store. ${error.message}`,
      'Look for one by the email address.',
    );
  }
  return critical(
    `The operators’ store has no active identity with the role ${ADMINISTRATORS.join(' or ')} that may sign in here.`,
    'Create one.',
    'node dist/server/main.js setup --admin EMAIL --yes',
  );
}

/** Looks for an administrator who can sign in, starting with those who did recently. */
async function administrators({
  config: { auth },
  operators: store,
  listOperators,
}: OperatorSources): Promise<Finding> {
  if (store === undefined)
    return unknown(
      'No identity store is configured, so it is unknown who is an operator.',
      'Set AUTH_IDENTITY_ADMIN_URL.',
    );
  try {
    const [list] = await Promise.all([
      listOperators().catch(() => undefined),
      store.list(IDENTITIES_PATH, { page_size: 1 }, PROBE),
    ]);
    const recent = (list?.operators ?? []).filter(({ role }) => role !== null && ADMINISTRATORS.includes(role));
    for (const { identity_id: id } of recent.slice(0, RECENT))
      if (isAdministrator(await store.identity(id, [], PROBE), auth))
        return pass('An administrator who signed in recently still can.');
    return await anyAdministrator(store, auth);
  } catch (error) {
    return critical(...causeOf(failureOf(error), namedApi(auth.store, STORE)));
  }
}

type OperatorSources = Pick<CheckSources, 'config' | 'operators' | 'listOperators'>;

/** Checks who can become an operator, and how well operators authenticate. */
export function operatorChecks(sources: OperatorSources) {
  const { auth } = sources.config;
  const { from } = auth.operators;
  // Operators by claims are no identities.
  const areStored = from !== 'claims' || undefined;
  return {
    operator_schemas: areStored && {
      title: 'Schemas allowed for operators',
      why: 'People can edit their own traits. If identities of the customers’ schema may sign in here, a customer who can set “role” becomes an administrator.',
      look: async () => {
        const { operatorSchemaIds: ids, store } = auth;
        const action = 'Give operators a schema of their own and name it in OPERATOR_SCHEMA_IDS.';
        if (store.url === undefined)
          return unknown('No identity store is configured, so the OAuth server is trusted for roles.', action);
        if (ids === undefined) return fail('Identities of any schema may sign in.', action);
        if (ids === 'any')
          return warn('Identities of any schema may sign in, since OPERATOR_SCHEMA_IDS is any.', action);
        const schemas = await operatorSchemas(store);
        if (!Array.isArray(schemas)) return schemas;
        const allowed = schemas.filter(({ id }) => ids.includes(id));
        const missing = ids.filter((id) => !schemas.some((schema) => schema.id === id));
        const notFound = missing.map((id) =>
          (allowed.length === 0 ? critical : warn)(
            `The store has no schema named ${id}.`,
            'Correct OPERATOR_SCHEMA_IDS, or add the schema to the identity service.',
          ),
        );
        const others = auth.roles.filter((role) => !ADMINISTRATORS.includes(role)).map((role) => [role]);
        const lacking = [ADMINISTRATORS, ...others].find(
          (roles) => !allowed.some((schema) => canHaveRole(schema, auth, roles)),
        );
        const noRole = (roles: readonly Role[]) =>
          (roles === ADMINISTRATORS ? critical : warn)(
            `The schema ${allowed.map(({ id }) => id).join(', ')} has no trait “role” that can be ${roles[0]}.`,
            `Give the schema a trait “role” with the values ${inWords(auth.roles)}.`,
          );
        const findings = [...notFound, allowed.length > 0 && lacking !== undefined && noRole(lacking)];
        return worst(findings, pass(`Only identities of these schemas may sign in: ${ids.join(', ')}.`));
      },
    },
    role_self_service: areStored && {
      title: 'Nobody can set their own role',
      why: 'Anyone who can set “role” in their own traits can become an administrator of this dashboard.',
      look: async () => {
        if (auth.roleFrom === 'metadata_admin.role')
          return pass('Roles are read from metadata_admin, which nobody can set for themselves.');
        const schemas = auth.operatorSchemaIds === undefined ? await operatorSchemas(auth.store) : [];
        const withRole = Array.isArray(schemas) ? schemas.filter(({ roles }) => roles !== undefined) : [];
        if (withRole.length > 0)
          return fail(
            `Any schema may sign in, and “role” is a trait of ${withRole.map(({ id }) => id).join(', ')}.`,
            'Name the operators’ schema in OPERATOR_SCHEMA_IDS, and keep that schema out of self-service.',
          );
        return unknown(
          'No admin API reports whether operators can edit their own traits.',
          'In the identity service’s configuration, set selfservice.methods.profile.enabled: false, and keep identity.default_schema_id different from the operators’ schema; or set OPERATOR_ROLE_FROM=metadata_admin.role.',
        );
      },
    },
    second_factor: {
      title: 'Operators’ second factors',
      why: 'With one, a guessed or phished password is not enough to sign in here.',
      needs: 'tables',
      look: async () => {
        if (from !== 'identity')
          return unknown(
            'The OpenID provider decides whether operators need one.',
            'Require one there for the dashboard’s client.',
          );
        const { operators } = await sources.listOperators();
        const without = operators.filter(({ second_factor }) => second_factor === false);
        const writers = without.filter(({ role }) => mayWrite(role));
        const unclear = operators.filter(({ second_factor }) => second_factor === null).length;
        const action = 'Ask them to set up an authenticator app or a security key. They are listed under Operators.';
        if (writers.length > 0) return fail(formatWithout(writers), action);
        if (without.length > 0) return warn(formatWithout(without), action);
        if (operators.length === 0)
          return unknown(
            'Nobody has signed in within 90 days, so it is unknown who has one.',
            'Check again after the next sign-in.',
          );
        return unclear > 0
          ? unknown(`Operators whose second factor is unknown: ${unclear}.`, 'See “Administrators”.')
          : pass(`All operators have a second factor: ${operators.length}.`);
      },
    },
    administrators: areStored && {
      title: 'Administrators',
      why: 'Without one, nobody can change anything here.',
      needs: 'store key',
      look: () => administrators(sources),
    },
  } satisfies Checks;
}

const inWords = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names);

const mayWrite = (role: Role | null): boolean =>
  role !== null && CAPABILITIES.some((one) => one.endsWith('.write') && can(role, one));

function formatWithout(without: OperatorList['operators']): string {
  const roles = ROLES.filter((one) => without.some(({ role }) => role === one)).map((role) => `${roleName(role)}s`);
  const [first = 'Operators', ...others] = roles;
  return `${inWords([first, ...others.map((name) => name.toLowerCase())])} without a second factor: ${without.length}.`;
}
