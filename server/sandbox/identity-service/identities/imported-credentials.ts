import { hashKindOf } from '../../../../shared/password-hashes.ts';
import { GoJsonError, goTypeOf, isObject } from '../../go/json.ts';
import { hashPassword } from '../../passwords.ts';
import type { Credential } from './identity-document.ts';
import { malformed } from './identity-errors.ts';

const TYPES = ['password', 'oidc', 'saml'];
const PASSWORD_CONFIG = ['hashed_password', 'password', 'use_password_migration_hook'];

/** What a create request may contain; other types, such as second factors, cannot be imported. @throws GoJsonError */
export function checkCredentialFields(input: unknown): void {
  checkFields(input, TYPES);
  if (!isObject(input)) return;
  checkFields(input.password, ['config']);
  checkFields(configOf(input.password), PASSWORD_CONFIG);
}

function checkFields(input: unknown, known: readonly string[]): void {
  if (input === undefined || input === null) return;
  if (!isObject(input))
    throw new GoJsonError(
      `json: cannot unmarshal ${goTypeOf(input)} into Go struct field CreateIdentityBody.credentials of type identity.IdentityWithCredentials`,
    );
  for (const name of Object.keys(input))
    if (!known.includes(name)) throw new GoJsonError(`json: unknown field "${name}"`);
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
export async function importedCredentials(input: unknown): Promise<Record<string, Imported>> {
  const imported: Record<string, Imported> = {};
  if (!isObject(input)) return imported;
  const password = configOf(input.password);
  if (password !== undefined) imported.password = { identifiers: [], config: await importedPassword(password) };
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

async function importedPassword({
  password,
  hashed_password,
}: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (typeof password === 'string' && password !== '') return { hashed_password: await hashPassword(password) };
  // A hash other than scrypt is stored and returned, but cannot be used to sign in here.
  if (typeof hashed_password === 'string' && hashKindOf(hashed_password) !== undefined) return { hashed_password };
  throw malformed(
    'The imported password does not match any known hash format. For more information see https://www.ory.sh/dr/2',
  );
}
