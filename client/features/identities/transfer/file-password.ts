import { HASH_KINDS, hashKindOf, isWholeHash } from '../../../../shared/identity-credentials.ts';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { normalizeName } from './account-state.ts';

/** Columns for a plaintext password and a password hash, named by their paths in an identity. */
export const PASSWORD_COLUMN = 'credentials.password.config.password';
export const HASH_COLUMN = 'credentials.password.config.hashed_password';

/** Labels of the password columns. */
export const PASSWORD_COLUMNS: Readonly<Record<string, string>> = {
  [PASSWORD_COLUMN]: 'Password',
  [HASH_COLUMN]: 'Password hash',
};

export function passwordIn({ credentials }: JsonObject): JsonObject | undefined {
  const password = isObject(credentials) ? credentials.password : undefined;
  const config = isObject(password) ? password.config : undefined;
  return isObject(config) && (isGiven(config.password) || isGiven(config.hashed_password)) ? config : undefined;
}

/** Importing a plaintext password takes time, since the store hashes it before it responds. */
export const isPlain = (config: JsonObject | undefined): boolean => isGiven(config?.password);

/** The store treats null and the empty string as absent. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Display text that replaces a password or hash. */
export function formatPassword(identity: JsonObject): string | undefined {
  const config = passwordIn(identity);
  if (config === undefined) return undefined;
  return isPlain(config) ? 'plain text' : formatHash(String(config.hashed_password));
}

/** Names the format of a hash, never the hash itself. */
export const formatHash = (hash: string): string => `${hashKindOf(hash)?.name ?? 'unknown'} hash`;

/** Whether a text looks like a hash, including formats that the store does not know: `$6$…`, `pbkdf2_sha256$…`. */
export const looksHashed = (text: string): boolean =>
  hashKindOf(text) !== undefined || /^(?:\$[\w-]+\$|\{[\w.-]+\}|[a-z][\w:.]*\$[^\s$]+\$)\S{12,}$/.test(text);

/** Also matches keys, salts and bare hashes: long texts in hexadecimal or base64. */
export const looksSecret = (text: string): boolean =>
  looksHashed(text) ||
  /^(?=[^\d]*\d)(?=\d*[a-f])[\da-f]{16,}$/i.test(text) ||
  /^[\w+/-]{14,}={1,2}$/.test(text) ||
  (/^[\w+/.-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/**
 * The header as a column name; undefined if it is blank or looks secret, since the first line of a file without a header
 * may contain somebody's hash.
 */
export const columnNamed = (header: string): string | undefined =>
  header.trim() === '' || looksSecret(header.trim()) ? undefined : header;

/** How databases export “no value”. Imported as a password, the word would be shared by many people. */
const NOTHING = /^(?:null|nil|none|undefined|\\n)$/i;
/** Maps crypt(3) prefixes to the prefixes of Kratos. */
const CRYPT: Readonly<Record<string, string>> = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' };

/** Lists the hash formats that the store accepts, with their prefixes. */
export const supportedHashes = (): string => HASH_KINDS.map(({ name, like }) => `${name} (${like})`).join(', ');

export const UNKNOWN_HASH = 'password hash: has a format that the identity service does not support';

/** 16 to 64 bytes in hexadecimal or base64: a hash without a format. */
const DIGEST =
  /^(?:(?:0x|\\x)?(?:[\da-f]{2}){16,64}|(?=[\w+/-]{22,86}=*$)(?:[\w+/-]{4})+(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?)$/i;
/** Names that other systems use beside hashes, without their punctuation: `hashAlgorithm`, `password_salt`. */
const HASH_PARAMETER =
  /salt|algo|rounds$|iterations|scheme$|kdf|factor$|^cost$|(?:password|hash|encryption)(?:type|method|function|format|version)$/;

export const isDigest = (config: JsonObject | undefined): boolean => DIGEST.test(String(config?.password));
export const isHashParameter = (column: string): boolean =>
  HASH_PARAMETER.test(normalizeName(column.split('.').at(-1) ?? ''));

/** Problems with a password, without quoting the password. The store may still accept the `objections`. */
export function passwordProblems(identity: JsonObject): { certain: string[]; objections: string[] } {
  const { password = '', hashed_password: hash = '' } = passwordIn(identity) ?? {};
  if (isGiven(password) && isGiven(hash))
    return { certain: ['password: only a password or a hash can be imported, not both'], objections: [] };
  // A wrong type would make the store reject every identity of the request.
  if (typeof (password ?? '') !== 'string') return { certain: ['password: must be text'], objections: [] };
  if (typeof (hash ?? '') !== 'string') return { certain: ['password hash: must be text'], objections: [] };
  const objection = isGiven(password) ? plainObjection(String(password)) : isGiven(hash) && hashObjection(String(hash));
  return { certain: [], objections: objection ? [objection] : [] };
}

function plainObjection(password: string): string | undefined {
  if (looksHashed(password)) return 'password: looks like a hash; the hash itself would become the password';
  return NOTHING.test(password) ? 'password: looks like a database’s null value' : undefined;
}

function hashObjection(hash: string): string | undefined {
  const kind = hashKindOf(hash);
  if (kind !== undefined)
    return isWholeHash(hash, kind)
      ? undefined
      : `password hash: is an incomplete ${kind.name} hash, so nobody could sign in with it`;
  const crypt = CRYPT[hash.slice(0, 3)];
  return crypt === undefined
    ? UNKNOWN_HASH
    : `password hash: begins with ${hash.slice(0, 3)}; the identity service expects ${crypt}`;
}
