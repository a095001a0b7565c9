/** A password hash format that Kratos imports and verifies. */
export interface HashKind {
  name: string;
  like: string;
  begins: RegExp;
}

/**
 * The hashes Kratos can verify, recognised by their prefix only (hash/hash_comparator.go of v26.2.0). It uses other
 * names for `$1$`, `$5$` and `$6$` of crypt(3).
 */
export const HASH_KINDS: readonly HashKind[] = [
  { name: 'bcrypt', like: '$2a$', begins: /^\$2[abzy]?\$/ },
  { name: 'argon2', like: '$argon2id$', begins: /^\$argon2id?\$/ },
  { name: 'scrypt', like: '$scrypt$', begins: /^\$scrypt\$/ },
  { name: 'Firebase scrypt', like: '$firescrypt$', begins: /^\$firescrypt\$/ },
  { name: 'PBKDF2', like: '$pbkdf2-sha256$', begins: /^\$pbkdf2-sha[0-9]{1,3}\$/ },
  { name: 'crypt', like: '$sha512-crypt$', begins: /^\$(?:md5|sha256|sha512)-crypt\$/ },
  { name: 'SSHA', like: '{SSHA}', begins: /^\{SSHA(?:256|512)?\}/ },
  { name: 'SHA', like: '$sha256$', begins: /^\$sha(?:1|256|512)\$/ },
  { name: 'MD5', like: '$md5$', begins: /^\$md5\$/ },
  { name: 'HMAC', like: '$hmac-sha256$', begins: /^\$hmac-(?:md4|md5|sha1|sha224|sha256|sha384|sha512)\$/ },
];

export const hashKindOf = (hash: string): HashKind | undefined => HASH_KINDS.find(({ begins }) => begins.test(hash));

const BASE64 = '(?:[A-Za-z\\d+/]{4})*(?:[A-Za-z\\d+/][AQgw]==|[A-Za-z\\d+/]{2}[AEIMQUYcgkosw048]=)?';
const atLeast = (letters: number, data = BASE64): string => `(?=[A-Za-z\\d+/]{${letters}})${data}`;
const exactly = (...letters: number[]): string =>
  `(?=(?:${letters.map((count) => `[A-Za-z\\d+/]{${count}}`).join('|')})(?:[=$]|$))${BASE64}`;
/** A salt and a key of at least 16 bytes: a shorter one was cut. */
const keyIn = (data: string): string => `\\$${atLeast(1, data)}\\$${atLeast(22, data)}`;
const [KEY, UNPADDED_KEY] = [keyIn(BASE64), keyIn(BASE64.replaceAll('=', ''))];
const POWER_OF_2 = Array.from({ length: 31 }, (_, index) => 2 ** (index + 1)).join('|');
const SALTED = `pf=${atLeast(1)}\\$${BASE64}\\$`;
const SALT_OF_CRYPT = '-crypt\\$(?:rounds=\\d+\\$)?[^$]{0,16}\\$[./A-Za-z\\d]';

/** The shapes that Kratos can decode. It imports any hash with the right prefix, but nobody can sign in with others. */
const SHAPES: Readonly<Record<string, string>> = {
  bcrypt: '\\$2.?\\$(?:0[4-9]|[12]\\d|3[01])\\$[./A-Za-z\\d]{53}',
  argon2: `\\$\\w+\\$v=19\\$m=\\d+,t=\\d+,p=\\d+(?:,[^$]*)?${UNPADDED_KEY}`,
  scrypt: `\\$scrypt\\$ln=(?:${POWER_OF_2}),r=\\d+,p=\\d+${KEY}`,
  'Firebase scrypt': `\\$firescrypt\\$ln=\\d\\d?,r=\\d+,p=\\d+${KEY}\\$${BASE64}\\$${atLeast(22)}`,
  PBKDF2: `\\$[\\w-]+\\$i=\\d+,l=\\d+${UNPADDED_KEY}`,
  crypt: `\\$(?:md5${SALT_OF_CRYPT}{22}|sha256${SALT_OF_CRYPT}{43}|sha512${SALT_OF_CRYPT}{86})`,
  SSHA: `\\{SSHA(?:\\}${atLeast(28)}|256\\}${atLeast(44)}|512\\}${atLeast(87)})`,
  SHA: `\\$sha\\d+\\$${SALTED}${exactly(27, 43, 86)}`,
  MD5: `\\$md5\\$(?:${SALTED})?${exactly(22)}`,
  HMAC: `\\$hmac-\\w+\\$${exactly(43, 54, 75, 86, 128, 171)}\\$${atLeast(1)}`,
};

/** Whether a hash of a known kind is complete. */
export const isWholeHash = (hash: string, { name }: HashKind): boolean =>
  new RegExp(`^(?:${SHAPES[name]})$`).test(hash);

/** A credential of an identity, without its secrets. */
export interface IdentityCredential {
  /** Kratos' name: `password`, `oidc`, `totp`, … */
  type: string;
  /** Whether it can be used: Kratos may list a password for people who have not set one. */
  set: boolean;
  /** Its identifiers; for `oidc` and `saml` `provider:subject`. Empty for `totp` and `lookup_secret`. */
  identifiers: string[];
  /**
   * Whether Kratos can delete it; for `oidc` and `saml`, each identifier. Kratos still refuses to delete the only first
   * factor.
   */
  deletable: boolean;
  /** The registered keys of `webauthn` and `passkey`. */
  keys?: CredentialKey[];
  /** ISO 8601; null if Kratos does not report it. */
  created_at: string | null;
  updated_at: string | null;
}

export interface CredentialKey {
  /** The name that its owner gave it; null if it has none. */
  name: string | null;
  /** ISO 8601; null if Kratos does not report it. */
  added_at: string | null;
}

/** `GET /api/identities/:id/credentials` */
export interface IdentityCredentials {
  /** One entry for each type. */
  credentials: IdentityCredential[];
}
