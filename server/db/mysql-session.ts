import type { Connection } from 'mysql2';
import type { MysqlServer } from './database-address.ts';
import { DatabaseUnavailable } from './errors.ts';

/** How long the server keeps the connection and the locks of a process that froze or vanished. */
export const SILENT_CLIENT_SECONDS = 10;
/** What statements rely on, whatever the defaults of the server are, as servers show it. */
export const RELIED_ON = {
  autocommit: 'ON',
  completion_type: 'NO_CHAIN',
  default_storage_engine: 'InnoDB',
  // Short enough for the request to fail in time.
  innodb_lock_wait_timeout: '5',
  max_sort_length: '1024',
  net_read_timeout: String(SILENT_CLIENT_SECONDS),
  net_write_timeout: String(SILENT_CLIENT_SECONDS),
  sort_buffer_size: '262144',
  sql_big_selects: 'ON',
  // If it is on, MariaDB returns rows in another order than the statement's.
  sql_buffer_result: 'OFF',
  sql_quote_show_create: 'ON',
  sql_safe_updates: 'OFF',
  sql_select_limit: '18446744073709551615',
  unique_checks: 'ON',
};
/** The statements that a server refuses have at least so many bytes. */
export const STATEMENT_BYTES = 'greatest(@@max_allowed_packet, @@net_buffer_length)';
/** The character sets in which client and server exchange text. */
export const TEXT_VARIABLES = ['character_set_client', 'character_set_connection', 'character_set_results'] as const;
export const TEXT = 'utf8mb4';
const STATEMENT_TIMEOUT_MS = 2_000;

/**
 * Strict mode rejects a value that does not fit instead of truncating it. Servers and proxies may ignore the character
 * set that the driver requests when it connects, so it is set explicitly. The comments are executed only by servers that
 * know the variable in them.
 */
const SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', " +
  [...Object.entries(RELIED_ON), ...TEXT_VARIABLES.map((name) => [name, TEXT])].map((pair) => pair.join(' = ')).join() +
  ' /*M! , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */';

/** The driver's options, except those of a pool. */
export const connectionOptions = (server: MysqlServer) => ({
  ...server,
  charset: TEXT,
  timezone: 'Z',
  connectTimeout: 3_000,
  // Keys and identifiers are VARBINARY, because MySQL's collations ignore case or trailing spaces; they contain UTF-8.
  typeCast: (field: { type: string; string(encoding?: string): string | null }, next: () => unknown) =>
    field.type === 'VAR_STRING' ? field.string('utf-8') : next(),
});

/**
 * Sets everything that statements rely on, and checks the settings that would corrupt text without an error.
 * @param settings additional ones, such as `wait_timeout = 10`
 * @returns the bytes of a statement that the server refuses
 */
export async function prepareSession(connection: Connection, settings: readonly string[] = []): Promise<number> {
  const run = (sql: string): Promise<Record<string, unknown>[]> =>
    new Promise((resolve, reject) =>
      connection.query({ sql, timeout: STATEMENT_TIMEOUT_MS }, (error, rows) =>
        error ? reject(error) : resolve(rows as Record<string, unknown>[]),
      ),
    );
  await run([SESSION, ...settings].join());
  // A separate statement, since the variables have different names on MySQL and MariaDB.
  await run('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE');
  const text = TEXT_VARIABLES.map((variable) => `@@${variable} as ${variable}`);
  const [found = {}] = await run(`select ${STATEMENT_BYTES} as bytes, ${text.join()}`);
  const wrong = TEXT_VARIABLES.filter((variable) => found[variable] !== TEXT);
  if (wrong.length > 0)
    throw new DatabaseUnavailable(`the server, or a proxy in front of it, does not accept ${TEXT} for ${wrong.join()}`);
  return Number(found['bytes']);
}

/** The age limit of every connection, so that one to an old server ends after the address has moved. */
export const MAX_AGE_MS = 300_000;

/**
 * The server cannot process statements: disk full (1021), no majority in its cluster (1047, and 1180 on COMMIT),
 * shutting down (1053), read-only (1290, 1792, 1836). The numbers are the same on MySQL and MariaDB.
 */
const CANNOT_SERVE = new Set([1021, 1047, 1053, 1180, 1290, 1792, 1836]);

/** How long a pool's connections may be used. Only idle ones are closed, so that no transaction is interrupted. */
export function connectionLife(monotonic = (): number => performance.now()) {
  const connections = new WeakMap<object, { openedAt: number; failures: number }>();
  let failures = 0;
  return {
    opened: (connection: object) => void connections.set(connection, { openedAt: monotonic(), failures }),
    isNew: (connection: object) => !connections.has(connection),
    /** Whether the connection may be used again. */
    mayServe(connection: object) {
      const entry = connections.get(connection);
      return entry?.failures === failures && monotonic() - entry.openedAt < MAX_AGE_MS;
    },
    /** If a server cannot process statements, no connection opened so far is used again: all of them lead to it. */
    failed(error: unknown) {
      if (CANNOT_SERVE.has(Number((error as { errno?: unknown }).errno))) failures += 1;
    },
  };
}

export type ConnectionLife = ReturnType<typeof connectionLife>;
