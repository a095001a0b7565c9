import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { hashKindOf } from '../../../../shared/password-hashes.ts';

/** Columns of a password in plain text and of its hash, by the way to them in an identity. */
export const PASSWORD_COLUMN = 'credentials.password.config.password';
export const HASH_COLUMN = 'credentials.password.config.hashed_password';

/** What such a column is called on the page. */
export const PASSWORD_COLUMNS: Readonly<Record<string, string>> = {
  [PASSWORD_COLUMN]: 'Password',
  [HASH_COLUMN]: 'Password hash',
};

/** The password that an identity of a file brings along, or its hash; undefined without either. */
export function passwordIn({ credentials }: JsonObject): JsonObject | undefined {
  const password = isObject(credentials) ? credentials.password : undefined;
  const config = isObject(password) ? password.config : undefined;
  return isObject(config) && (isGiven(config.password) || isGiven(config.hashed_password)) ? config : undefined;
}

/** The store hashes it before it answers. */
export const isPlain = (config: JsonObject | undefined): boolean => isGiven(config?.password);

/** Null and the empty text are no value to the store. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** In place of a password or hash, which is shown nowhere. */
export function formatPassword(identity: JsonObject): string | undefined {
  const config = passwordIn(identity);
  if (config === undefined) return undefined;
  return isPlain(config) ? 'plain text' : formatHash(String(config.hashed_password));
}

/** What kind of hash it is, never the hash. */
export const formatHash = (hash: string): string => `${hashKindOf(hash)?.name ?? 'unknown'} hash`;

/** Notations of hashes in general, also such as the identity service does not know: `$6$…`, `{SHA}…`. */
export const looksHashed = (text: string): boolean =>
  hashKindOf(text) !== undefined || /^(?:\$[\w-]+\$|\{[\w.-]+\})\S{12,}$/.test(text);

/** The name of a column; undefined where it has none. The first line of a file without names holds somebody's hash. */
export const columnCalled = (header: string): string | undefined =>
  header.trim() === '' || looksHashed(header.trim()) ? undefined : header;
