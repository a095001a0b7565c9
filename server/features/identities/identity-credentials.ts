import type { CredentialKey, IdentityCredential } from '../../../shared/identity-credentials.ts';
import { membersOf, texts } from '../../../shared/json.ts';
import { ApiError } from '../../http/api-error.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';

/** The list does not tell whether these are set up: it names them for everyone whose schema does. */
const READ_WHOLE = ['password', 'webauthn', 'passkey'];
/** These consist of named keys. */
const OF_KEYS = ['webauthn', 'passkey'];
/** Their identifier is the identity's id, which is not worth showing. */
const WITHOUT_IDENTIFIERS = ['totp', 'lookup_secret'];
/** Kratos deletes only these; never `code` or `passkey`, for example. */
const DELETABLE = ['totp', 'lookup_secret', 'webauthn', 'password', 'oidc', 'saml'];

/**
 * The credentials of an identity. The store's response contains hashes and keys: only the fields named here are passed
 * on.
 * @throws 404 for an unknown identity, 502 and 504 if the store fails
 */
export async function identityCredentials(store: IdentityStore, id: string): Promise<IdentityCredential[]> {
  const identity = await store.identity(id, READ_WHOLE).catch((error) => {
    throw questionFailed(error);
  });
  if (identity === undefined) throw new ApiError('not_found');
  return Object.keys(identity.credentials)
    .sort()
    .map((type) => described(type, membersOf(identity.credentials[type])));
}

function described(type: string, credential: Record<string, unknown>): IdentityCredential {
  const identifiers = texts(credential['identifiers']).sort();
  const config = membersOf(credential['config']);
  const set = isSet(type, identifiers, config);
  return {
    type,
    set,
    identifiers: WITHOUT_IDENTIFIERS.includes(type) ? [] : identifiers,
    deletable: set && DELETABLE.includes(type),
    ...(set && OF_KEYS.includes(type) ? { keys: keysOf(config['credentials']) } : {}),
    created_at: time(credential['created_at']),
    updated_at: time(credential['updated_at']),
  };
}

function isSet(type: string, identifiers: string[], config: Record<string, unknown>): boolean {
  switch (type) {
    case 'password':
      return typeof config['hashed_password'] === 'string' && config['hashed_password'] !== '';
    case 'webauthn':
    case 'passkey':
      return Array.isArray(config['credentials']) && config['credentials'].length > 0;
    case 'totp':
    case 'lookup_secret':
      return true;
    default:
      // Kratos leaves an empty credential behind when the last social sign-in is removed.
      return identifiers.length > 0;
  }
}

const keysOf = (value: unknown): CredentialKey[] =>
  Array.isArray(value)
    ? value.map(membersOf).map((key) => ({ name: nameOf(key['display_name']), added_at: time(key['added_at']) }))
    : [];

const nameOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

/** Kratos returns the year 1 for a credential it has just written. */
const time = (value: unknown): string | null =>
  typeof value === 'string' && Date.parse(value) > 0 ? new Date(value).toISOString() : null;
