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
