const LETTER = '[A-Za-z\\d+/]';
/** As Go decodes it: the last letter has no surplus bits. */
const BASE64 = `(?:${LETTER}{4})*(?:${LETTER}[AQgw]==|${LETTER}{2}[AEIMQUYcgkosw048]=)?`;
const atLeast = (letters: number, data = BASE64): string => `(?=${LETTER}{${letters}})${data}`;
/** A salt and a key of at least 16 bytes: a shorter one was cut. */
const keyIn = (data: string): string => `\\$${atLeast(1, data)}\\$${atLeast(22, data)}`;
const [KEY, RAW_KEY] = [keyIn(BASE64), keyIn(BASE64.replaceAll('=', ''))];
const crypt = (letters: number): string => `(?:rounds=\\d+\\$)?[^$]{0,16}\\$[./A-Za-z\\d]{${letters}}`;
const COST = 'ln=\\d+,r=\\d+,p=\\d+';
const HMAC = `${atLeast(43)}\\$${atLeast(1)}`;
const SALTED = 'pf=[^$]+\\$[^$]*\\$';

/**
 * The hashes Kratos can verify (hash/hash_comparator.go of v26.2.0). It imports any hash that begins right, but nobody
 * can sign in with one that it cannot decode. It uses other names for `$1$`, `$5$` and `$6$` of crypt(3). `rest` is what
 * follows in a complete hash, as a regular expression.
 */
export const HASH_KINDS = [
  { name: 'bcrypt', like: '$2a$', begins: /^\$2[abzy]?\$/, rest: '(?:0[4-9]|[12]\\d|3[01])\\$[./A-Za-z\\d]{53}' },
  { name: 'argon2', like: '$argon2id$', begins: /^\$argon2id?\$/, rest: `v=19\\$m=\\d+,t=\\d+,p=\\d+[^$]*${RAW_KEY}` },
  { name: 'scrypt', like: '$scrypt$', begins: /^\$scrypt\$/, rest: `${COST}${KEY}` },
  { name: 'Firebase scrypt', like: '$firescrypt$', begins: /^\$firescrypt\$/, rest: `${COST}${KEY}${KEY}` },
  { name: 'PBKDF2', like: '$pbkdf2-sha256$', begins: /^\$pbkdf2-sha[0-9]{1,3}\$/, rest: `i=\\d+,l=\\d+${RAW_KEY}` },
  { name: 'crypt', like: '$md5-crypt$', begins: /^\$md5-crypt\$/, rest: crypt(22) },
  { name: 'crypt', like: '$sha256-crypt$', begins: /^\$sha256-crypt\$/, rest: crypt(43) },
  { name: 'crypt', like: '$sha512-crypt$', begins: /^\$sha512-crypt\$/, rest: crypt(86) },
  { name: 'SSHA', like: '{SSHA}', begins: /^\{SSHA\}/, rest: atLeast(28) },
  { name: 'SSHA', like: '{SSHA256}', begins: /^\{SSHA256\}/, rest: atLeast(44) },
  { name: 'SSHA', like: '{SSHA512}', begins: /^\{SSHA512\}/, rest: atLeast(87) },
  { name: 'SHA', like: '$sha256$', begins: /^\$sha(?:1|256|512)\$/, rest: `${SALTED}(?:.{27}=|.{43}=|.{86}==)` },
  { name: 'MD5', like: '$md5$', begins: /^\$md5\$/, rest: `(?:${SALTED})?${LETTER}{22}==` },
  { name: 'HMAC', like: '$hmac-sha256$', begins: /^\$hmac-(?:md[45]|sha(?:1|224|256|384|512))\$/, rest: HMAC },
];

type HashKind = (typeof HASH_KINDS)[number];

export const hashKindOf = (hash: string): HashKind | undefined => HASH_KINDS.find(({ begins }) => begins.test(hash));

/** Whether a hash of this kind is complete. */
export const isWholeHash = (hash: string, { begins, rest }: HashKind): boolean =>
  new RegExp(`${begins.source}${rest}$`).test(hash);

const LINKS = { config: { providers: [{ subject: '', provider: '', use_auto_link: true, organization: '' }] } };
/** An example of all credentials that Kratos imports (identity/handler.go of v26.2.0); it refuses any other member. */
export const IMPORTED_CREDENTIALS = {
  password: { config: { hashed_password: '', password: '', use_password_migration_hook: true } },
  oidc: LINKS,
  saml: LINKS,
};

/** A credential of an identity, without its secrets. */
export interface IdentityCredential {
  /** Kratos' name: `password`, `oidc`, `totp`, … */
  type: string;
  /** Whether it can be used: Kratos may list a password for people who have not set one. */
  set: boolean;
  /** Its identifiers; for `oidc` and `saml` `provider:subject`. Empty for `totp` and `lookup_secret`. */
  identifiers: string[];
  /** Whether Kratos can delete it (`oidc`, `saml`: each identifier); it still refuses for the only first factor. */
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
