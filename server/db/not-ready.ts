import { isUnavailable } from './unavailable.ts';

/** Nothing can begin on this database. The message says what to do; it names no host, no user and no value. */
export class DatabaseNotReady extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseNotReady';
  }
}

/**
 * The error to show a person instead: a driver's text names host and user.
 * @param error of work on the database alone; others have the same codes
 */
export function withoutDriverText(error: unknown): unknown {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '');
  if (error instanceof DatabaseNotReady || !(isUnavailable(error) || /^(?:ER|SQLITE)_/.test(code))) return error;
  const reason = code === '' ? 'it did not respond in time' : code;
  return new DatabaseNotReady(`The database that DATABASE_URL names failed: ${reason}.`, { cause: error });
}
