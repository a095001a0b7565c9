import { CAPABILITIES, can, ROLES, type Role, roleName } from '../../../../shared/capabilities.ts';
import { membersOf } from '../../../../shared/json.ts';
import type { OperatorList } from '../../../../shared/security.ts';
import type { Config } from '../../../config/config.ts';
import { rolesOf } from '../../../platform.ts';
import { adminClient } from '../../../upstream/admin-client.ts';
import { failureOf } from '../../../upstream/failure.ts';
import { type IdentityStore, roleOf, type StoredIdentity, storedIdentity } from '../../../upstream/identity-store.ts';
import { type Check, type Finding, fail, gravest, lockOut, pass, unknown, warn } from './check.ts';
import { causeOf, ofOperators, STORE } from './upstreams.ts';

const TIMEOUT_MS = 4_000;
/** Each holds a whole JSON schema. */
const SCHEMA_LIMITS = { maxBytes: 8 * 1024 * 1024, timeoutMs: TIMEOUT_MS };

/**
 * The schemas of the operators' store, from its public API, to which the admin API redirects.
 * @param publicUrl if undefined, the schemas are unknown
 * @returns undefined if they cannot be read
 */
export function operatorSchemas(publicUrl: string | undefined): () => Promise<OperatorSchema[] | undefined> {
  const client = adminClient({ url: publicUrl, timeoutMs: TIMEOUT_MS, authorization: async () => undefined });
  return async () => {
    if (publicUrl === undefined) return undefined;
    const schemas = await client.list('/schemas', { per_page: 500 }, SCHEMA_LIMITS).catch(() => undefined);
    return schemas?.items.map((item) => {
      const { id, schema } = membersOf(item);
      return { id: String(id), roles: rolesOf(schema) };
    });
  };
}

const PAGE_SIZE = 500;
const PAGES = 4;
const LIMITS = { maxBytes: 16 * 1024 * 1024, timeoutMs: 4_000 };

/** Whether the store responds at all. */
const PROBE = { timeoutMs: 2_000 };
const LATELY = 8;

/**
 * Whether anybody can sign in as an administrator. Those who did lately are looked up first; then the store is read, as far
 * as the first pages go, since it cannot be asked by schema or role.
 * @param operators who signed in lately, by the audit trail
 */
export const administratorCheck = (
  { auth }: Pick<Config, 'auth'>,
  store: IdentityStore | undefined,
  operators: () => Promise<OperatorList>,
): Check => ({
  id: 'administrators',
  title: 'Administrators',
  why: 'Without one, nobody can change anything here.',
  look: async () => {
    if (store === undefined)
      return unknown(
        'No identity store is configured, so it is not known who is an operator.',
        'Set AUTH_IDENTITY_ADMIN_URL.',
      );
    try {
      const [known] = await Promise.all([
        operators().catch(() => undefined),
        store.list('/admin/identities', { page_size: 1 }, PROBE),
      ]);
      const lately = (known?.operators ?? []).filter(({ role }) => role === 'admin').slice(0, LATELY);
      for (const { identity_id: id } of lately)
        if (isAdministrator(await store.identity(id, [], PROBE), auth))
          return pass('An administrator who signed in lately still can.');
      return await lookedFor(store, auth);
    } catch (error) {
      return lockOut(...causeOf(failureOf(error), ofOperators(auth.store, STORE)));
    }
  },
});

async function lookedFor(store: IdentityStore, auth: Config['auth']): Promise<Finding> {
  let token: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { items, nextPageToken } = await store.list(
      '/admin/identities',
      { page_size: PAGE_SIZE, page_token: token },
      LIMITS,
    );
    if (items.some((identity) => isAdministrator(storedIdentity(identity), auth)))
      return pass('There is an active administrator.');
    token = nextPageToken;
    if (token === undefined)
      return lockOut(
        'The operators’ store holds no active identity with the role admin that may sign in here.',
        'Create one.',
        'node dist/server/main.js setup --admin EMAIL --yes',
      );
  }
  return unknown(
    `There is none among the first ${PAGES * PAGE_SIZE} identities of the store.`,
    'Look for one by the email address.',
  );
}

/** Whether an identity may sign in as an administrator. */
export function isAdministrator(
  identity: StoredIdentity | undefined,
  { operatorSchemaIds: schemas, roleFrom }: Config['auth'],
): boolean {
  if (!identity?.active || roleOf(identity, roleFrom) !== 'admin') return false;
  return schemas === undefined || schemas === 'any' || schemas.some((id) => id === identity.schemaId);
}

/** A schema of the operators' store. */
export interface OperatorSchema {
  id: string;
  /** What `traits.role` may be; undefined without that trait. */
  roles: readonly string[] | 'any' | undefined;
}

/** Who can become an operator, and how well operators authenticate. @param schemas undefined if they cannot be read */
export const operatorChecks = (
  config: Pick<Config, 'auth'>,
  schemas: () => Promise<readonly OperatorSchema[] | undefined>,
  operators: () => Promise<OperatorList>,
): Check[] => [
  {
    id: 'operator_schemas',
    title: 'Schemas allowed for operators',
    why: 'People can edit their own traits. If identities of the customers’ schema may sign in here, a customer who can set “role” becomes an administrator.',
    look: async () => {
      const { operatorSchemaIds: ids, store, roleFrom } = config.auth;
      const action = 'Give operators a schema of their own and name it in OPERATOR_SCHEMA_IDS.';
      if (store.url === undefined)
        return unknown('No identity store is configured, so the OAuth server is trusted for roles.', action);
      if (ids === undefined) return fail('Identities of any schema may sign in.', action);
      if (ids === 'any') return warn('Identities of any schema may sign in, since OPERATOR_SCHEMA_IDS is any.', action);
      const known = await schemas();
      if (known === undefined)
        return unknown(
          store.publicUrl === undefined
            ? `${store.publicUrlVariable} is not set, so the schemas of the operators’ store are not known.`
            : 'The schemas of the operators’ store could not be read.',
          store.publicUrl === undefined
            ? `Set ${store.publicUrlVariable} to the public address of that store.`
            : `Correct ${store.publicUrlVariable}, or start that service.`,
        );
      const named = known.filter(({ id }) => ids.includes(id));
      const missing = ids.filter((id) => !known.some((schema) => schema.id === id));
      const findings = missing.map((id) => {
        const finding = `The store has no schema named ${id}.`;
        const correct = 'Correct OPERATOR_SCHEMA_IDS, or add the schema to the identity service.';
        return named.length === 0 ? lockOut(finding, correct) : warn(finding, correct);
      });
      if (named.length > 0 && roleFrom === 'traits.role') findings.push(...roleFindings(named));
      return gravest(findings, pass(`Only identities of these schemas may sign in: ${ids.join(', ')}.`));
    },
  },
  {
    id: 'role_self_service',
    title: 'Nobody can set their own role',
    why: 'Anyone who can set “role” in their own traits can become an administrator of this dashboard.',
    look: async () => {
      if (config.auth.roleFrom === 'metadata_admin.role')
        return pass('Roles are read from metadata_admin, which nobody can write for themselves.');
      const known = config.auth.operatorSchemaIds === undefined ? await schemas() : undefined;
      const withRole = known?.filter(({ roles }) => roles !== undefined) ?? [];
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
  {
    id: 'second_factor',
    title: 'Operators’ second factors',
    why: 'With one, a guessed or phished password is not enough to sign in here.',
    look: async () => {
      const { operators: known } = await operators();
      const without = known.filter(({ second_factor }) => second_factor === false);
      const writers = without.filter(({ role }) => mayWrite(role));
      const unclear = known.filter(({ second_factor }) => second_factor === null).length;
      const action =
        'Ask them to set up an authenticator app or a security key. They are listed under Security, Operators.';
      if (writers.length > 0) return fail(formatWithout(writers), action);
      if (without.length > 0) return warn(formatWithout(without), action);
      if (known.length === 0)
        return unknown(
          'No operator is known, and nobody has signed in within 90 days.',
          'Check again after the next sign-in.',
        );
      return unclear > 0
        ? unknown(`Operators whose second factor is unknown: ${unclear}.`, 'See “Administrators”.')
        : pass(`All operators have a second factor: ${known.length}.`);
    },
  },
];

/** What the schemas of operators allow as a role. */
function roleFindings(schemas: readonly OperatorSchema[]): Finding[] {
  const allows = (role: Role): boolean => schemas.some(({ roles }) => roles === 'any' || roles?.includes(role));
  const action = 'Give the schema a trait “role” with the values admin and viewer.';
  const ids = schemas.map(({ id }) => id).join(', ');
  if (!allows('admin')) return [lockOut(`The schema ${ids} has no trait “role” that can be admin.`, action)];
  return allows('viewer') ? [] : [warn(`The schema ${ids} has no trait “role” that can be viewer.`, action)];
}

const mayWrite = (role: Role | null): boolean =>
  role !== null && CAPABILITIES.some((one) => one.endsWith('.write') && can(role, one));

function formatWithout(without: OperatorList['operators']): string {
  const roles = ROLES.filter((one) => without.some(({ role }) => role === one)).map((role) => `${roleName(role)}s`);
  return `${roles.join(' and ') || 'Operators'} without a second factor: ${without.length}.`;
}
