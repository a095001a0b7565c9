/** A kind of password hash that the identity service imports and compares. */
export interface HashKind {
  name: string;
  /** How one begins, for people. */
  like: string;
  begins: RegExp;
}

/**
 * What Kratos can compare, told by the beginning alone (hash/hash_comparator.go of v26.2.0). The `$1$`, `$5$` and `$6$`
 * of crypt(3) go by other names there.
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
