import { flushed, type Log } from '../log/log.ts';

const EXIT_WITHIN_MS = 1_500;

/**
 * An unexpected error leaves the process in an unknown state, so it is logged and the process exits with code 1.
 * Reaching this is always a bug.
 */
export function installCrashHandler(log: Log): void {
  let ending = false;
  // Unhandled rejections end up here, too.
  process.on('uncaughtException', (error: unknown, origin) => {
    if (ending) return;
    ending = true;
    const exit = (): never => process.exit(1);
    setTimeout(exit, EXIT_WITHIN_MS);
    log.fatal({ error, origin }, 'unexpected error, the process exits');
    flushed(log, EXIT_WITHIN_MS).then(exit, exit);
  });
}
