/** The database could not do this now; the caller may retry later. */
export class DatabaseUnavailable extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
  }
}

/** Connecting or communication failed, or the server refuses work: it is full, stopping, read-only or overloaded. */
const MYSQL_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EACCES',
  'ER_SERVER_SHUTDOWN',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_CONNECTION_KILLED',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_QUERY_INTERRUPTED',
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE',
  'ER_DISK_FULL',
  'ER_RECORD_FILE_FULL',
  'ER_OUT_OF_RESOURCES',
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
  // A node of a Galera cluster without a majority; the second one at COMMIT.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
]);
/** The account is locked, by its number on MySQL and on MariaDB, which the driver takes for another error of MySQL. */
const LOCKED_ACCOUNT = new Set<unknown>([3118, 4151]);
const SQLITE_CODES = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|PROTOCOL)/;

/**
 * Whether an error means that the database is unavailable, as opposed to a faulty query. HTTP maps it to 503
 * `service_unavailable`.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errno, fatal } = error as { code?: unknown; errno?: unknown; fatal?: unknown };
  if (error instanceof DatabaseUnavailable || error.name === 'KnexTimeoutError' || error.name === 'TimeoutError')
    return true;
  if (typeof code === 'string' && (MYSQL_CODES.has(code) || code.startsWith('PROTOCOL_') || SQLITE_CODES.test(code)))
    return true;
  // mysql2 flags fatal connection errors; knex and better-sqlite3 have only a message for a closed connection.
  return (
    fatal === true ||
    LOCKED_ACCOUNT.has(errno) ||
    error.message === 'Unable to acquire a connection' ||
    error.message.endsWith('The database connection is not open')
  );
}
