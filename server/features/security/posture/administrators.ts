import type { OperatorList } from '../../../../shared/security.ts';
import type { Config } from '../../../config/config.ts';
import { type IdentityStore, roleOf, type StoredIdentity, storedIdentity } from '../../../upstream/identity-store.ts';
import { failureOf } from '../../../upstream/upstream-failure.ts';
import { causeOf, ofOperators, STORE } from './admin-api.ts';
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
