import { DatabaseUnavailable, isUnavailable } from './unavailable.ts';

/** Nothing can begin on this database. The message says what to do; it names no host, no user and no value. */
export class DatabaseNotReady extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseNotReady';
  }
}

interface Failure {
  code?: unknown;
  errno?: unknown;
  sqlMessage?: unknown;
}

/** Of a server's words: they hold names and values, which may hold quotes themselves. */
const QUOTED = /(['"`]).*\1/gs;
const MAX_CHARACTERS = 200;

/** Why it failed, for a person. The driver's names of errors are MySQL's, also for MariaDB's own numbers. */
export function reasonOf(error: unknown): string {
  const { code, errno, sqlMessage } = (error ?? {}) as Failure;
  if (typeof sqlMessage === 'string')
    return `error ${errno}, ${sqlMessage.replace(QUOTED, '…').slice(0, MAX_CHARACTERS).replace(/\.$/, '')}`;
  if (error instanceof DatabaseUnavailable) return error.message;
  return code === undefined ? 'it did not respond in time' : String(code);
}

/**
 * The error to show a person instead: a driver's text names host and user.
 * @param error of work on the database alone; others have the same codes
 */
export function withoutDriverText(error: unknown): unknown {
  const { code, sqlMessage } = (error ?? {}) as Failure;
  if (error instanceof DatabaseNotReady) return error;
  if (!isUnavailable(error) && sqlMessage === undefined && !/^(?:ER|SQLITE)_/.test(String(code))) return error;
  return new DatabaseNotReady(`The database that DATABASE_URL names failed: ${reasonOf(error)}.`, { cause: error });
}
