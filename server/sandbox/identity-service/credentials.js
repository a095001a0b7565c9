import { isObject } from '../go/json.js';
import { hashPassword } from '../passwords.js';
import { malformed, noSuchResource } from './identity-errors.js';

const KNOWN_HASH =
  /^(\$(2[abxy]|argon2(id|i)|scrypt|firescrypt|pbkdf2-[a-z0-9]+|md5-crypt|1|5|6|hmac-[a-z0-9]+)\$|\{(SSHA|SSHA256|SSHA512)\}|\$ssha)/i;
/** Credentials that a create or update request brings along, by type: a password, its hash, or social providers. */
export async function importedCredentials(input) {
  const imported = {};
  if (!isObject(input)) return imported;
  const password = configOf(input.password);
  if (password !== undefined) imported.password = { identifiers: [], config: await importedPassword(password) };
  const providers = configOf(input.oidc)?.providers;
  if (Array.isArray(providers)) {
    const links = providers
      .filter(isObject)
      .map(({ provider, subject }) => ({ provider: String(provider), subject: String(subject) }));
    imported.oidc = {
      identifiers: links.map(({ provider, subject }) => `${provider}:${subject}`),
      config: { providers: links },
    };
  }
  return imported;
}
/** True when a request carries a password in plain text, which costs a hash. */
export const hasPlainPassword = (input) => isObject(input) && typeof configOf(input.password)?.password === 'string';
const configOf = (credential) => (isObject(credential) && isObject(credential.config) ? credential.config : undefined);
async function importedPassword({ password, hashed_password }) {
  if (typeof password === 'string' && password !== '') return { hashed_password: await hashPassword(password) };
  // A hash of another kind than scrypt is kept and shown, but nobody can sign in with it here.
  if (typeof hashed_password === 'string' && KNOWN_HASH.test(hashed_password)) return { hashed_password };
  throw malformed(
    'The imported password does not match any known hash format. For more information see https://www.ory.sh/dr/2',
  );
}
/** Second factors go at will. */
const REMOVABLE = ['totp', 'lookup_secret', 'webauthn'];
/**
 * The credentials that are left when one is removed.
 * @param identifier which of several sign-ins of that type; social ones need it
 * @throws IdentityServiceError 404 when it is not set up, 400 when it must stay
 */
export function withoutCredential({ credentials }, type, identifier) {
  const credential = credentials[type];
  const absent = () => noSuchResource(`You tried to remove a ${type} but this user have no ${type} set up.`);
  if (credential === undefined) throw absent();
  const { [type]: _removed, ...others } = credentials;
  if (REMOVABLE.includes(type)) return others;
  if (type !== 'password' && type !== 'oidc' && type !== 'saml')
    throw malformed(`Credentials type ${type} cannot be deleted.`);
  if (type !== 'password' && !identifier) throw malformed('You must provide an identifier to delete this credential.');
  if (firstFactors(credentials) < 2) throw malformed('You cannot remove the last first factor credential.');
  if (type === 'password') return others;
  if (!credential.identifiers.includes(identifier ?? '')) throw absent();
  const identifiers = credential.identifiers.filter((candidate) => candidate !== identifier);
  if (identifiers.length === 0) return others;
  const links = credential.config.providers ?? [];
  const providers = links.filter(({ provider, subject }) => `${provider}:${subject}` !== identifier);
  return { ...others, [type]: { ...credential, identifiers, config: { ...credential.config, providers } } };
}
function firstFactors({ password, oidc, saml, passkey, code }) {
  const withPassword = password?.config.hashed_password === undefined ? 0 : 1;
  const others = [oidc, saml, passkey, code].flatMap((credential) => credential?.identifiers ?? []);
  return withPassword + others.length;
}
