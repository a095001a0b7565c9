import { membersOf } from '../../../../shared/json.ts';
import type { OperatorList } from '../../../../shared/security.ts';
import type { Config } from '../../../config/config.ts';
import type { IdentityStore, StoredIdentity } from '../../../upstream/identity-store.ts';
import { failureOf } from '../../../upstream/upstream-failure.ts';
import { type Check, type Finding, lockOut, pass, unknown } from './check.ts';

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
    const { operatorSchemaIds: schemas } = auth;
    try {
      const [known] = await Promise.all([
        operators().catch(() => undefined),
        store.list('/admin/identities', { page_size: 1 }, PROBE),
      ]);
      const lately = (known?.operators ?? []).filter(({ role }) => role === 'admin').slice(0, LATELY);
      for (const { identity_id: id } of lately)
        if (isStill(await store.identity(id, [], PROBE), schemas))
          return pass('An administrator who signed in lately still can.');
      return await lookedFor(store, schemas);
    } catch (error) {
      return unanswered(failureOf(error).kind);
    }
  },
});

async function lookedFor(store: IdentityStore, schemas: Config['auth']['operatorSchemaIds']): Promise<Finding> {
  let token: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const { items, nextPageToken } = await store.list(
      '/admin/identities',
      { page_size: PAGE_SIZE, page_token: token },
      LIMITS,
    );
    if (items.some((identity) => isAdministrator(identity, schemas))) return pass('There is an active administrator.');
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

/** @param schemas those whose identities may sign in */
export function isAdministrator(identity: unknown, schemas: Config['auth']['operatorSchemaIds']): boolean {
  const { state, schema_id: schema, traits } = membersOf(identity);
  const admitted = schemas === undefined || schemas === 'any' || schemas.includes(String(schema));
  return admitted && state === 'active' && membersOf(traits)['role'] === 'admin';
}

const isStill = (found: StoredIdentity | undefined, schemas: Config['auth']['operatorSchemaIds']): boolean =>
  found?.active === true &&
  isAdministrator({ state: 'active', schema_id: found.schemaId, traits: found.traits }, schemas);

function unanswered(kind: ReturnType<typeof failureOf>['kind']): Finding {
  switch (kind) {
    case 'refuses_key':
      return lockOut(
        'The operators’ store refuses the key, or demands one.',
        'Set AUTH_IDENTITY_ADMIN_KEY, or store the right key as the setting of that upstream.',
      );
    case 'key_unreadable':
      return lockOut('The stored key of the operators’ store cannot be decrypted or sent.', 'Store it again.');
    case 'unreachable':
    case 'timeout':
      return lockOut(
        'The operators’ store does not respond.',
        'Correct AUTH_IDENTITY_ADMIN_URL, or start that service.',
      );
    default:
      return lockOut(
        'What responds as the operators’ store is no identity service.',
        'Correct AUTH_IDENTITY_ADMIN_URL.',
      );
  }
}
