import { flushed, type Log } from '../log/log.ts';

const EXIT_WITHIN_MS = 1_500;

/**
 * The last line of defence: an unexpected error leaves the process in an unknown state, so it is
 * logged and the process ends with exit code 1. That it was ever needed is a fault to be found.
 */
export function installCrashHandler(log: Log): void {
  let ending = false;
  // Unhandled rejections arrive here as well.
  process.on('uncaughtException', (error: unknown, origin) => {
    if (ending) return;
    ending = true;
    const exit = (): never => process.exit(1);
    setTimeout(exit, EXIT_WITHIN_MS);
    log.fatal({ error, origin }, 'unexpected error, the process ends');
    flushed(log, EXIT_WITHIN_MS).then(exit, exit);
  });
}
