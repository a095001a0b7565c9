import type { Credential } from '../identity-service/identities/identity-document.ts';
import { socialLink } from '../identity-service/identities/imported-credentials.ts';
import type { Derived } from '../identity-service/identities/schema-extension.ts';
import type { Random } from './random.ts';

export interface Holder {
  id: string;
  email: string;
  /** Part of the subject at a social provider. */
  handle: string;
  identifiers: Derived['identifiers'];
  /** When the credentials were set up, ISO 8601. */
  at: string;
}

const PROVIDERS = ['google', 'google', 'apple', 'microsoft', 'github'];
const KEY_NAMES = ['YubiKey 5C', 'YubiKey 5 NFC', 'Titan', 'Laptop', 'iPhone', 'Solo 2'];
const RECOVERY_CODES = 12;

/**
 * A password, social sign-ins or both, and for some people a second factor or a passkey. The passwords are random and
 * unknown.
 */
export function credentialsOf(holder: Holder, random: Random): Record<string, Credential> {
  const { id, email, handle, identifiers, at } = holder;
  const credentials: Record<string, Credential> = {};
  const add = (type: string, own: string[], config: Record<string, unknown>): void => {
    credentials[type] = { type, identifiers: own, config, version: 0, created_at: at, updated_at: at };
  };
  const social = random.chance(0.24);
  const withPassword = !social || random.chance(0.35);
  add('password', identifiers.password, withPassword ? { hashed_password: hashOfNothing(random) } : {});
  for (const type of ['code', 'webauthn'] as const) if (identifiers[type].length > 0) add(type, identifiers[type], {});
  if (social) {
    const [provider, subject] = [random.pick(PROVIDERS), `${handle}-${random.bytes(6).toString('hex')}`];
    add('oidc', [`${provider}:${subject}`], { providers: [socialLink(provider, subject)] });
  }
  if (withPassword && random.chance(0.14)) add('totp', [id], { totp_url: totpUrl(email, random) });
  if (credentials.totp !== undefined && random.chance(0.6))
    add('lookup_secret', [id], { recovery_codes: recoveryCodes(at, random) });
  if (random.chance(0.04)) add('webauthn', [email], keyConfig(at, false, random));
  if (random.chance(0.03)) {
    const config = keyConfig(at, true, random);
    add('passkey', [config.user_handle], config);
  }
  return credentials;
}

const encoded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const hashOfNothing = (random: Random): string =>
  `$scrypt$ln=16384,r=8,p=1$${encoded(random.bytes(16))}$${encoded(random.bytes(32))}`;

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function totpUrl(email: string, random: Random): string {
  const secret = [...random.bytes(32)].map((byte) => BASE_32[byte & 31]).join('');
  return `otpauth://totp/Example:${encodeURIComponent(email)}?algorithm=SHA1&digits=6&issuer=Example&period=30&secret=${secret}`;
}

/** Some of them are used. */
function recoveryCodes(at: string, random: Random): { code: string; used_at?: string }[] {
  const used = random.below(4);
  return Array.from({ length: RECOVERY_CODES }, (_, index) => ({
    code: random.bytes(4).toString('hex'),
    ...(index < used ? { used_at: at } : {}),
  }));
}

function keyConfig(at: string, passwordless: boolean, random: Random) {
  const key = {
    id: random.bytes(32).toString('base64'),
    public_key: random.bytes(77).toString('base64'),
    attestation_type: 'none',
    authenticator: { aaguid: 'AAAAAAAAAAAAAAAAAAAAAA==', sign_count: random.below(200), clone_warning: false },
    display_name: random.pick(KEY_NAMES),
    added_at: at,
    is_passwordless: passwordless,
  };
  return { credentials: [key], user_handle: random.bytes(16).toString('base64') };
}
