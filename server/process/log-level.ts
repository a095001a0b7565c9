import type { Log } from '../log/log.ts';

const DEBUG_MS = 10 * 60_000;

/**
 * Logs in more detail for ten minutes, without a restart; asked again meanwhile, it goes back at once.
 * @returns a function to call for each such request
 */
export function debugForAWhile(log: Log, forMs = DEBUG_MS): () => void {
  const usual = log.level;
  let ending: NodeJS.Timeout | undefined;
  const back = (): void => {
    clearTimeout(ending);
    ending = undefined;
    log.warn({ level: usual }, 'logs at the usual level again');
    log.level = usual;
  };
  return () => {
    if (ending !== undefined) return back();
    // Not where more is logged already.
    if (!log.isLevelEnabled('debug')) log.level = 'debug';
    ending = setTimeout(back, forMs).unref();
    log.warn({ minutes: forMs / 60_000 }, 'logs at level debug for a while');
  };
}
