import type { Log } from '../log.ts';
import type { Database } from './database.ts';

/** Other processes see a change after at most this time plus two reads: less than five seconds. */
const POLL_MS = 2_000;

/**
 * Keeps this process up to date with the changes of others: one query every two seconds, however many changes there
 * are.
 * An outage is logged when it begins and when it ends.
 * @param options.settings receives the number of the last change, as `revocations` does; it is smaller after a restore
 */
export function changePoll(options: {
  database: Database;
  log: Pick<Log, 'warn' | 'info'>;
  settings: (version: number) => void;
  revocations: (version: number) => Promise<void>;
  pollMs?: number;
}) {
  const { database, log, settings, revocations, pollMs = POLL_MS } = options;
  let away = false;
  let polledAt = performance.now();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const readNumbers = database.statement<{ revocations: number | null; settings: number | null }>(
    `select (select version from revocation_version where id = 1) as revocations,
       (select version from settings_version where id = 1) as settings`,
    { mayLag: true },
  );

  async function poll(): Promise<void> {
    const numbers = await readNumbers.get();
    settings(numbers?.settings ?? 0);
    await revocations(numbers?.revocations ?? 0);
    polledAt = performance.now();
  }

  async function keepUp(): Promise<void> {
    try {
      await poll();
      if (away) log.info('changes by other processes can be read again');
      away = false;
    } catch (error) {
      if (!away && !closed)
        log.warn(
          { error },
          'changes by other processes cannot be read: revocations and settings in memory stay in use',
        );
      away = true;
    }
    schedule();
  }
  function schedule(): void {
    if (!closed) timer = setTimeout(keepUp, pollMs).unref();
  }

  return {
    /** Polls once, then regularly until `close`. Rejects if the database is unavailable. */
    async start() {
      await poll();
      schedule();
    },
    /** Milliseconds since the last successful poll. */
    sinceMs: () => performance.now() - polledAt,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
