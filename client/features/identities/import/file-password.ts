import { hashKindOf } from '../../../../shared/identity-credentials.ts';
import { isObject, type JsonObject } from '../../../../shared/json.ts';

/** Columns for a plaintext password and for a password hash, named by their paths in an identity. */
export const PASSWORD_COLUMN = 'credentials.password.config.password';
export const HASH_COLUMN = 'credentials.password.config.hashed_password';

/** Labels of these columns. */
export const PASSWORD_COLUMNS: Readonly<Record<string, string>> = {
  [PASSWORD_COLUMN]: 'Password',
  [HASH_COLUMN]: 'Password hash',
};

/** The password or hash in an identity of a file, if any. */
export function passwordIn({ credentials }: JsonObject): JsonObject | undefined {
  const password = isObject(credentials) ? credentials.password : undefined;
  const config = isObject(password) ? password.config : undefined;
  return isObject(config) && (isGiven(config.password) || isGiven(config.hashed_password)) ? config : undefined;
}

/** The store hashes it before it responds. */
export const isPlain = (config: JsonObject | undefined): boolean => isGiven(config?.password);

/** The store treats null and the empty string as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Shown instead of a password or hash. */
export function formatPassword(identity: JsonObject): string | undefined {
  const config = passwordIn(identity);
  if (config === undefined) return undefined;
  return isPlain(config) ? 'plain text' : formatHash(String(config.hashed_password));
}

/** The format of a hash, never the hash. */
export const formatHash = (hash: string): string => `${hashKindOf(hash)?.name ?? 'unknown'} hash`;

/**
 * Whether a text has the format of some hash, including those that the identity service does not know: `$6$…`,
 * `{SHA}…`.
 */
export const looksHashed = (text: string): boolean =>
  hashKindOf(text) !== undefined || /^(?:\$[\w-]+\$|\{[\w.-]+\})\S{12,}$/.test(text);

/** Also keys, salts and bare hashes: long texts in hexadecimal or base64. */
export const looksSecret = (text: string): boolean =>
  looksHashed(text) ||
  /^(?=[^\d]*\d)(?=\d*[a-f])[\da-f]{16,}$/i.test(text) ||
  /^[\w+/-]{14,}={1,2}$/.test(text) ||
  (/^[\w+/.-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text));

/**
 * The name of a column; undefined if it looks like data. The first line of a file without a header holds somebody's
 * hash.
 */
export const columnNamed = (header: string): string | undefined =>
  header.trim() === '' || looksSecret(header.trim()) ? undefined : header;
