import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';

/** The database to connect to. A `readOnly` file must exist, and is not changed. */
export type DatabaseAddress =
  | { client: 'sqlite'; path: string; readOnly?: true }
  | { client: 'mysql'; server: MysqlServer };

/** Where the database is; the names are those of the driver's options. */
export interface MysqlServer {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  socketPath?: string;
  /** Without it, the connection is not encrypted. */
  ssl?: { rejectUnauthorized: boolean; verifyIdentity?: true; ca?: string };
}

/** A `/`, `?` or `#` before the `@`, which is part of a user name or password that is not percent-encoded. */
const ENDS_EARLY = /^mysql:\/\/[^/?#]*[/?#].*@/;
const BROKEN_ESCAPE = 'contains a broken percent escape';
const DEFAULT_PORT = 3306;
const SSL_MODES = ['DISABLED', 'REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'];
const PARAMETERS = ['ssl-mode', 'ssl-ca', 'socketPath'] as const;
type Parameters = ReadonlyMap<(typeof PARAMETERS)[number], string>;

/**
 * Parses a `DATABASE_URL`: `sqlite:PATH` (relative to the working directory) or
 * `mysql://user:password@host:port/database`, which may be followed by parameters.
 * @throws Error with a message that never repeats the value, which may contain a password
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  if (text.startsWith('sqlite:')) return { client: 'sqlite', path: sqlitePath(text.slice('sqlite:'.length)) };
  if (!text.startsWith('mysql://')) throw new Error('must begin with sqlite: or mysql://');
  const mayEndEarly = ENDS_EARLY.test(text);
  try {
    return { client: 'mysql', server: mysqlServer(text, !mayEndEarly) };
  } catch (error) {
    const { message } = error as Error;
    if (message !== BROKEN_ESCAPE && !mayEndEarly) throw error;
    throw new Error(`${message}: percent-encode the user name and password (a generated one may contain / ? # or %)`);
  }
}

/** @param nameParameters false if errors must not repeat names of parameters, which may be part of the password */
function mysqlServer(text: string, nameParameters: boolean): MysqlServer {
  if (!URL.canParse(text)) throw new Error('is not a valid mysql:// address');
  const url = new URL(text);
  if (url.hostname === '') throw new Error('has no database host');
  const database = decoded(url.pathname.slice(1));
  if (database === '') throw new Error('has no database name');
  if (database.includes('/') || (url.username === '' && database.includes('@')))
    throw new Error('must have only the name of one database after the host');
  if (url.hash !== '') throw new Error('must not contain #');
  const host = decoded(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const parameters = parametersOf(url.searchParams, nameParameters);
  const socketPath = parameters.get('socketPath');
  if (socketPath !== undefined && !isAbsolute(socketPath)) throw new Error('socketPath must be an absolute path');
  const ssl = encryption(parameters, host);
  return {
    host,
    port: Number(url.port) || DEFAULT_PORT,
    user: decoded(url.username),
    password: decoded(url.password),
    database,
    ...(socketPath !== undefined && { socketPath }),
    ...(ssl !== undefined && { ssl }),
  };
}

function parametersOf(query: URLSearchParams, mayName: boolean): Parameters {
  const parameters = new Map<(typeof PARAMETERS)[number], string>();
  for (const [name, value] of query) {
    const parameter = PARAMETERS.find((each) => each === name);
    if (parameter === undefined) {
      const unknown = mayName && /^[\w.-]{1,40}$/.test(name) ? `the parameter ${name}, which` : 'a parameter that';
      throw new Error(`has ${unknown} is not supported${mayName ? ` (supported: ${PARAMETERS.join(', ')})` : ''}`);
    }
    if (parameters.has(parameter)) throw new Error(`has the parameter ${parameter} more than once`);
    parameters.set(parameter, value);
  }
  return parameters;
}

function encryption(parameters: Parameters, host: string): MysqlServer['ssl'] {
  const mode = parameters.get('ssl-mode') ?? 'DISABLED';
  if (!SSL_MODES.includes(mode)) throw new Error(`ssl-mode must be one of ${SSL_MODES.join(', ')}`);
  const file = parameters.get('ssl-ca');
  const rejectUnauthorized = mode.startsWith('VERIFY_');
  if (file !== undefined && !rejectUnauthorized) throw new Error('ssl-ca needs ssl-mode=VERIFY_CA or VERIFY_IDENTITY');
  if (mode === 'DISABLED') return undefined;
  const verifyIdentity = mode === 'VERIFY_IDENTITY';
  // For an IP address, the driver would look for the name localhost in the certificate.
  if (verifyIdentity && isIP(host) !== 0)
    throw new Error('ssl-mode=VERIFY_IDENTITY needs the name of the server instead of its IP address');
  return {
    rejectUnauthorized,
    ...(verifyIdentity && { verifyIdentity }),
    ...(file !== undefined && { ca: certificatesIn(file, 'ssl-ca ') }),
  };
}

/** Reads certificates from a PEM file, once. @throws Error whose message says what `subject` names */
export function certificatesIn(file: string, subject = ''): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${subject}names a file that cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  try {
    new X509Certificate(text);
  } catch {
    throw new Error(`${subject}names a file without a certificate`);
  }
  return text;
}

function sqlitePath(path: string): string {
  if (path === '') throw new Error('has no path after sqlite:');
  if (path.startsWith('//')) throw new Error('must not have // after sqlite:');
  if (path.startsWith(':') || path.startsWith('file:')) throw new Error('must name a file, not an in-memory database');
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
