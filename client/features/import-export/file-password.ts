import { HASH_KINDS, hashKindOf, isWholeHash } from '../../../shared/identity-credentials.ts';
import { isObject, type JsonObject } from '../../../shared/json.ts';
import { normalizeName } from './account-state.ts';

/** Columns for a plaintext password and a password hash, named by their paths in an identity. */
export const PASSWORD_COLUMN = 'credentials.password.config.password';
export const HASH_COLUMN = 'credentials.password.config.hashed_password';

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
  return config && (isPlain(config) ? 'plain text' : formatHash(String(config.hashed_password)));
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

/** How other systems write “no value” and hidden ones. Imported as a password, the text would be shared by many people. */
const NOTHING = /^(?:null|nil|none|undefined|\\n|([*•●x#.-])\1*)$/i;
/** Maps crypt(3) prefixes to the prefixes of Kratos. */
const CRYPT: Readonly<Record<string, string>> = { $1$: '$md5-crypt$', $5$: '$sha256-crypt$', $6$: '$sha512-crypt$' };

/** Lists the hash formats that the store accepts, with their prefixes. */
export const supportedHashes = (): string => HASH_KINDS.map(({ name, like }) => `${name} (${like})`).join(', ');

export const UNKNOWN_HASH = 'password hash: has a format that the identity service does not support';

/** A hash without a format: 16 bytes or more in hexadecimal or base64, as in `*B6589FC6…` and `0CC175B9…:salt`. */
const DIGEST = /(?:^|[:.$|*\\])[\w+/-]{22,}={0,2}(?:$|[:.$|*\\])/;
/** Names that other systems use beside hashes, without their punctuation: `hashAlgorithm`, `password_salt`. */
const HASH_PARAMETER =
  /salt|algo|hasher|rounds$|iterations|kdf|securitystamp|^(?:work)?factor$|^(?:cost|scheme|digest)$|(?:pass(?:word|wd)?|pwd|hash|encryption)(?:type|method|function|format|version|encoding|encoder|digest|scheme|kind)$/;

export const isDigest = (config: JsonObject | undefined): boolean => DIGEST.test(String(config?.password).trim());
export const isHashParameter = (column: string): boolean =>
  HASH_PARAMETER.test(normalizeName(column.split('.').at(-1) ?? ''));

/** What the store adds to credentials. */
const STORE_MADE = /^(?:type|identifiers|version|(?:created|updated)_at|initial_.*_token)$/;
const TYPES = { string: 'text', boolean: 'true or false', object: 'a JSON object', list: 'a list' };
const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value) as keyof typeof TYPES;

/**
 * The credentials without what the store adds and what is empty. Members and types that are not in the example are
 * problems: the store would reject every identity of the request.
 */
export function importable(value: unknown, example: unknown, path: string, problems: string[]): unknown {
  const known = new Map(Object.entries(example ?? {}));
  if (typeOf(value) !== typeOf(example ?? {})) {
    const problem = example === undefined ? 'cannot be imported' : `must be ${TYPES[typeOf(example)]}`;
    return void problems.push(`${PASSWORD_COLUMNS[path]?.toLowerCase() ?? path}: ${problem}`);
  }
  if (Array.isArray(value)) return value.map((item) => importable(item, known.get('0'), path, problems));
  if (!isObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name, member]) => !STORE_MADE.test(name) && member !== false && isGiven(member))
    .map(([name, member]) => [name, importable(member, known.get(name), `${path}.${name}`, problems)])
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Problems with a password, without quoting the password. The store may still accept the `objections`. */
export function passwordProblems(identity: JsonObject): { certain: string[]; objections: string[] } {
  const { password = '', hashed_password: hash = '' } = passwordIn(identity) ?? {};
  if (isGiven(password) && isGiven(hash))
    return { certain: ['password: only a password or a hash can be imported, not both'], objections: [] };
  const objection = isGiven(password) ? plainObjection(String(password)) : isGiven(hash) && hashObjection(String(hash));
  return { certain: [], objections: objection ? [objection] : [] };
}

function plainObjection(password: string): string | undefined {
  if (looksHashed(password)) return 'password: looks like a hash; the hash itself would become the password';
  return NOTHING.test(password.trim()) ? 'password: looks like a null or hidden value' : undefined;
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
