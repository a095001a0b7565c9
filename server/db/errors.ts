import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** The database could not do this now; the caller may retry later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly code = 'DATABASE_UNAVAILABLE';
}

/** The server would refuse the statement for its size, now and later: 413 `payload_too_large`. */
export class StatementTooLarge extends Error {
  readonly code = 'STATEMENT_TOO_LARGE';
  /** A statement must be shorter. */
  readonly bytes: number;

  constructor(bytes: number) {
    super();
    this.bytes = bytes;
  }
}

/** The connection failed, or the server refuses to work: it is full, stopping, read-only or overloaded. */
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
  // From a node of a Galera cluster without a majority; the second one on COMMIT.
  'ER_UNKNOWN_COM_ERROR',
  'ER_ERROR_DURING_COMMIT',
]);
/** A locked account, on MySQL and on MariaDB; the driver takes the latter number for another error of MySQL. */
const LOCKED_ACCOUNT = new Set<unknown>([3118, 4151]);
const SQLITE_CODES = /^SQLITE_(BUSY|LOCKED|IOERR|FULL|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|PROTOCOL)/;

/** Whether the database is unavailable, as opposed to a faulty query. HTTP maps it to 503 `service_unavailable`. */
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

/** How long after the first attempt another one may begin. */
const AGAIN_WITHIN_MS = 6_000;
/** Constant on purpose: with exponential back-off, the transaction that lost most often would starve. */
const WAIT_MS = 25;

const DEADLOCK_CODES = new Set([
  // InnoDB chose this transaction to end a deadlock, or another node of a Galera cluster committed first.
  'ER_LOCK_DEADLOCK',
  // The same outcome in MySQL's group replication.
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** Whether an error, or one that caused it, has one of these codes. */
const hasCode = (error: unknown, codes: ReadonlySet<string>): boolean =>
  error instanceof Error && (codes.has(String((error as { code?: unknown }).code)) || hasCode(error.cause, codes));

/** Transactions that this process ran again, and those that it gave up on. */
export const deadlockCounts = { retried: 0, givenUp: 0 };

/**
 * Retries a transaction that the server rolled back in favour of another one, since none of it can have been stored. Any
 * other failure, such as a connection lost on COMMIT, is final, since the transaction may have been stored.
 * @throws the last deadlock error if other transactions keep winning for six seconds
 */
export async function retryDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + AGAIN_WITHIN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = Math.random() * WAIT_MS;
      if (!hasCode(error, DEADLOCK_CODES)) throw error;
      if (performance.now() + waitMs > deadline) {
        deadlockCounts.givenUp += 1;
        throw error;
      }
      deadlockCounts.retried += 1;
      await sleep(waitMs);
    }
  }
}

const DUPLICATE_CODES = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Whether an error means that the key already exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && DUPLICATE_CODES.has(String((error as { code?: unknown }).code));

const REMEMBER_MS = 10_000;
const FULL_DISK_CODES = new Set(['SQLITE_FULL', 'ER_RECORD_FILE_FULL', 'ER_DISK_FULL']);

/** On a full disk, what fits into an allocated page is still stored: a small probe succeeds, and larger writes fail. */
export function noticingFullDisk(database: Database, monotonic: () => number) {
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    ...database,
    async transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
      try {
        return await database.transaction(work);
      } catch (error) {
        if (hasCode(error, FULL_DISK_CODES)) fullAt = monotonic();
        throw error;
      }
    },
    /** Whether a write failed within the last ten seconds because the disk was full. */
    foundFull: () => monotonic() - fullAt < REMEMBER_MS,
  };
}

export type NoticingDatabase = ReturnType<typeof noticingFullDisk>;

/** The database cannot be used. The message says what to do, and contains no host, user or value. */
export class DatabaseNotReady extends Error {
  override readonly name = 'DatabaseNotReady';
}

type Failure = Partial<Record<'code' | 'errno' | 'sqlMessage', unknown>>;

/** Quoted parts of a server's message: they contain names and values, which may contain quotes themselves. */
const QUOTED = /(['"`]).*\1/gs;
const MAX_CHARACTERS = 200;

/** A readable reason for an error. The driver uses MySQL's names, even for numbers that MariaDB uses differently. */
export function reasonOf(error: unknown): string {
  const { code, errno, sqlMessage } = (error ?? {}) as Failure;
  if (typeof sqlMessage === 'string')
    return `error ${errno}, ${sqlMessage.replace(QUOTED, '…').slice(0, MAX_CHARACTERS).replace(/\.$/, '')}`;
  if (error instanceof DatabaseUnavailable) return error.message;
  return code === undefined ? 'it did not respond in time' : String(code);
}

const RAISE_LIMIT = 'Raise max_connections, or the limit of the user, or stop other replicas.';
const ACTIONS: Record<string, string> = {
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: 'Add user and password to DATABASE_URL, percent-encoded.',
  ER_ACCESS_DENIED_ERROR:
    'Correct user and password in DATABASE_URL (percent-encoded), create that user, or add ssl-mode if it must use TLS.',
  ER_DBACCESS_DENIED_ERROR: 'Grant the user in DATABASE_URL its rights on that database.',
  ER_SECURE_TRANSPORT_REQUIRED: 'Add ssl-mode to DATABASE_URL: the server requires TLS.',
  HANDSHAKE_NO_SSL_SUPPORT: 'Set up TLS on the server, or correct ssl-mode in DATABASE_URL.',
  HANDSHAKE_SSL_ERROR: 'Correct ssl-mode and ssl-ca in DATABASE_URL, or the server’s certificate.',
  ER_BAD_DB_ERROR: 'Create the database that DATABASE_URL names.',
  ER_CON_COUNT_ERROR: RAISE_LIMIT,
  ER_TOO_MANY_USER_CONNECTIONS: RAISE_LIMIT,
  ER_USER_LIMIT_REACHED: RAISE_LIMIT,
  ER_UNKNOWN_COM_ERROR: 'Restore the cluster’s majority.',
};
/** Codes, or none, of failures where no server responded in time. */
const NO_RESPONSE =
  /^(?:ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOENT|PROTOCOL_CONNECTION_LOST|DATABASE_UNAVAILABLE|undefined)/;

/** What to do about an error on connecting, in a sentence. */
export function actionOn(error: unknown): string {
  const code = String(((error ?? {}) as Failure).code);
  if (NO_RESPONSE.test(code)) return 'Correct the address in DATABASE_URL, or start the database.';
  // EACCES: this user may not open the file, or the socket.
  if (code === 'EACCES' || code.startsWith('SQLITE_'))
    return 'Correct the path in DATABASE_URL, or check the file, its folder and its disk.';
  return ACTIONS[code] ?? 'See the log of the database server.';
}

/**
 * The error to show to a person instead: a driver's message contains the host and the user.
 * @param error from work on the database alone; other errors may have the same codes
 */
export function withoutDriverText(error: unknown): unknown {
  const { code, sqlMessage } = (error ?? {}) as Failure;
  if (error instanceof DatabaseNotReady) return error;
  if (!isUnavailable(error) && sqlMessage === undefined && !/^(?:ER|SQLITE)_/.test(String(code))) return error;
  return new DatabaseNotReady(`The database in DATABASE_URL failed: ${reasonOf(error)}.`, { cause: error });
}

const FIRST_PAUSE_MS = 50;

/**
 * Retries what the database could not do now, such as a transaction that conflicted with another one.
 * @throws the error of the last attempt; an error that retrying cannot fix is thrown immediately
 */
export async function retry<T>(
  work: () => Promise<T>,
  options: { attempts?: number; pauseMs?: (attempt: number) => number } = {},
): Promise<T> {
  const { attempts = 6, pauseMs = (attempt) => FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()) } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isUnavailable(error)) throw error;
    }
    await sleep(pauseMs(attempt));
  }
}
