import { hashKindOf, IMPORTED_CREDENTIALS } from '../../../shared/identity-credentials.ts';
import { isObject } from '../../../shared/json.ts';
import { JsonError, wrongType } from '../formats.ts';
import { hashPassword } from '../passwords.ts';
import { malformed, noSuchResource } from './errors.ts';
import type { Credential, IdentityDocument } from './identities.ts';

/** Second factors can always be removed. */
const REMOVABLE = ['totp', 'lookup_secret', 'webauthn'];

/**
 * The remaining credentials after a removal. Social ones leave an empty row when the last link is removed.
 * @param identifier which of several sign-ins of that type; required for social ones
 * @throws IdentityServiceError 404 if it is not set up, 400 if it cannot be removed
 */
export function withoutCredential(
  { credentials }: IdentityDocument,
  type: string,
  identifier: string | null,
): Record<string, Credential> {
  const credential = credentials[type];
  if (credential === undefined)
    throw noSuchResource(`You tried to remove a ${type} but this user have no ${type} set up.`);
  const { [type]: _removed, ...others } = credentials;
  if (REMOVABLE.includes(type)) return others;
  if (type !== 'password' && type !== 'oidc' && type !== 'saml')
    throw malformed(`Credentials type ${type} cannot be deleted.`);
  const { password, oidc, saml, passkey, code } = credentials;
  const withPassword = password?.config.hashed_password === undefined ? 0 : 1;
  const firstFactors = [oidc, saml, passkey, code].flatMap((one) => one?.identifiers ?? []);
  if (withPassword + firstFactors.length < 2) throw malformed('You cannot remove the last first factor credential.');
  if (type === 'password') return others;
  if (!identifier) throw malformed('You must provide an identifier to delete this credential.');
  if (!credential.identifiers.includes(identifier))
    throw noSuchResource(`The identifier \`${identifier}\` was not found among OIDC credentials.`);
  const identifiers = credential.identifiers.filter((candidate) => candidate !== identifier);
  const links = (credential.config.providers as { provider: string; subject: string }[] | undefined) ?? [];
  const providers = links.filter(({ provider, subject }) => `${provider}:${subject}` !== identifier);
  return { ...others, [type]: { ...credential, identifiers, config: { ...credential.config, providers } } };
}

/** What a create request may contain; other types, such as second factors, cannot be imported. @throws JsonError */
export function checkCredentialFields(input: unknown, example: unknown = IMPORTED_CREDENTIALS): void {
  if (input === undefined || input === null || typeof example !== 'object') return;
  if (typeof input !== 'object' || Array.isArray(input) !== Array.isArray(example))
    throw wrongType(input, 'struct field CreateIdentityBody.credentials of type identity.IdentityWithCredentials');
  const known = new Map(Object.entries(example ?? {}));
  for (const [name, member] of Object.entries(input)) {
    const field = Array.isArray(input) ? '0' : name;
    if (!known.has(field)) throw new JsonError(`json: unknown field "${name}"`);
    checkCredentialFields(member, known.get(field));
  }
}

/** A social sign-in without tokens: these strings are then empty. */
export const socialLink = (provider: string, subject: string) => ({
  subject,
  provider,
  initial_id_token: '',
  initial_access_token: '',
  initial_refresh_token: '',
});

type Imported = Pick<Credential, 'identifiers' | 'config'>;

/**
 * The credentials in a create or update request, by type: a password, its hash, or social providers.
 * @throws IdentityServiceError 400 for an unknown kind of hash
 */
export function importedCredentials(input: unknown): Record<string, Imported> {
  const imported: Record<string, Imported> = {};
  if (!isObject(input)) return imported;
  const password = configOf(input.password);
  if (password !== undefined) imported.password = { identifiers: [], config: importedPassword(password) };
  for (const type of ['oidc', 'saml']) {
    const providers = configOf(input[type])?.providers;
    if (!Array.isArray(providers)) continue;
    const links = providers
      .filter(isObject)
      .map(({ provider, subject }) => socialLink(String(provider), String(subject)));
    imported[type] = {
      identifiers: links.map(({ provider, subject }) => `${provider}:${subject}`),
      config: { providers: links },
    };
  }
  return imported;
}

/** Whether a request contains a plain-text password, which is costly to hash. */
export const hasPlainPassword = (input: unknown): boolean => isObject(input) && !!configOf(input.password)?.password;

const configOf = (credential: unknown): Record<string, unknown> | undefined =>
  isObject(credential) && isObject(credential.config) ? credential.config : undefined;

function importedPassword(config: Record<string, unknown>): Record<string, unknown> {
  const { password, hashed_password, use_password_migration_hook } = config;
  if (use_password_migration_hook === true) return { use_password_migration_hook };
  if (typeof password === 'string' && password !== '') return { hashed_password: hashPassword(password) };
  // An imported hash is stored and returned, but cannot be used to sign in here.
  if (typeof hashed_password === 'string' && hashKindOf(hashed_password) !== undefined) return { hashed_password };
  throw malformed(
    'The imported password does not match any known hash format. For more information see https://www.ory.sh/dr/2',
  );
}
