import type { Credential, IdentityDocument } from './identity-document.ts';
import { malformed, noSuchResource } from './identity-errors.ts';

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
  if (firstFactors(credentials) < 2) throw malformed('You cannot remove the last first factor credential.');
  if (type === 'password') return others;
  if (!identifier) throw malformed('You must provide an identifier to delete this credential.');
  if (!credential.identifiers.includes(identifier))
    throw noSuchResource(`The identifier \`${identifier}\` was not found among OIDC credentials.`);
  const identifiers = credential.identifiers.filter((candidate) => candidate !== identifier);
  const links = (credential.config.providers as { provider: string; subject: string }[] | undefined) ?? [];
  const providers = links.filter(({ provider, subject }) => `${provider}:${subject}` !== identifier);
  return { ...others, [type]: { ...credential, identifiers, config: { ...credential.config, providers } } };
}

function firstFactors({ password, oidc, saml, passkey, code }: Record<string, Credential>): number {
  const withPassword = password?.config.hashed_password === undefined ? 0 : 1;
  const others = [oidc, saml, passkey, code].flatMap((credential) => credential?.identifiers ?? []);
  return withPassword + others.length;
}
