/** Which database to connect to. A `readOnly` file must exist, and stays as it is. */
export type DatabaseAddress = { client: 'sqlite'; path: string; readOnly?: true } | { client: 'mysql'; url: string };

/** A `/`, `?` or `#` before the `@` belongs to the user or password and is not percent-encoded. */
const ENDS_EARLY = /^mysql:\/\/[^/?#]*[/?#].*@/;
const BROKEN_ESCAPE = 'contains a broken percent escape';

/**
 * Parses a `DATABASE_URL`: `sqlite:PATH` (relative to the working directory) or
 * `mysql://user:password@host:port/database`. A `mysql` URL may carry mysql2's connection options in its query
 * (`?ssl={}`, `?socketPath=/run/mysqld/mysqld.sock`).
 * @throws Error with a message that never repeats the value, which may contain a password
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  if (text.startsWith('sqlite:')) return { client: 'sqlite', path: sqlitePath(text.slice('sqlite:'.length)) };
  if (!text.startsWith('mysql://')) throw new Error('must begin with sqlite: or mysql://');
  try {
    return mysqlAddress(text);
  } catch (error) {
    const { message } = error as Error;
    if (message !== BROKEN_ESCAPE && !ENDS_EARLY.test(text)) throw error;
    throw new Error(`${message}: percent-encode user name and password (a generated one may hold / ? # or %)`);
  }
}

function mysqlAddress(text: string): DatabaseAddress {
  if (!URL.canParse(text)) throw new Error('is not a valid mysql:// address');
  const url = new URL(text);
  if (url.hostname === '') throw new Error('names no database host');
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw new Error('names no database');
  if (database.includes('/') || (url.username === '' && database.includes('@')))
    throw new Error('must name one database, without a further path');
  decoded(url.username);
  decoded(url.password);
  return { client: 'mysql', url: text };
}

function sqlitePath(path: string): string {
  if (path === '') throw new Error('names no file after sqlite:');
  if (path.startsWith('//')) throw new Error('must be sqlite:PATH, without slashes of a URL before the path');
  if (path.startsWith(':') || path.startsWith('file:')) throw new Error('must name a file, not a database in memory');
  if (path.endsWith('/')) throw new Error('must name a file, not a directory');
  if (path.includes('\0')) throw new Error('must not contain a NUL character');
  return path;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(BROKEN_ESCAPE);
  }
}
