import { once } from 'node:events';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { within } from '../caches.ts';
import type { Deps } from '../deps.ts';
import type { HttpServer } from '../http/server.ts';
import { flushed, type Log } from '../log.ts';

const EXIT_WITHIN_MS = 1_500;

/** After an unexpected error, which is always a bug, the state is unknown: logs it and exits with code 1. */
export function installCrashHandler(log: Log): void {
  let ending = false;
  // Unhandled rejections end up here as well.
  process.on('uncaughtException', (error: unknown, origin) => {
    if (ending) return;
    ending = true;
    const exit = (): never => process.exit(1);
    setTimeout(exit, EXIT_WITHIN_MS);
    log.fatal({ error, origin }, 'unexpected error: the process exits');
    flushed(log, EXIT_WITHIN_MS).then(exit, exit);
  });
}

/** Milliseconds since shutdown began. */
export const SHUTDOWN_TIMES = {
  /** Until then, health fails while new connections are still accepted, so that load balancers stop routing here. */
  noticeMs: 1_000,
  /** Requests without a response by then are aborted. */
  answeredMs: 7_000,
  /** Anything that is not stored or closed by then is abandoned and logged. */
  closedMs: 9_000,
};
/** The time for flushing the log at the very end. */
export const FLUSH_MS = 500;
/** How often to close idle connections: those whose response began before shutdown did not get `Connection: close`. */
const IDLE_CHECK_MS = 100;

/**
 * Graceful shutdown: responds to pending requests, stores what is queued and closes everything, even if a client does
 * not read or an upstream or the database hangs.
 * @returns whether everything finished in time
 */
export async function gracefulShutdown(options: {
  server: HttpServer;
  deps: Pick<Deps, 'startDraining' | 'close' | 'audit'>;
  log: Log;
  times: typeof SHUTDOWN_TIMES;
}): Promise<boolean> {
  const { server, deps, log, times } = options;
  const start = performance.now();
  const left = (until: number): number => Math.max(0, until - (performance.now() - start));

  deps.startDraining();
  await sleep(times.noticeMs);
  await readArrivals();
  const answered = once(server, 'close');
  server.stopAccepting();
  const idleCheck = setInterval(() => void readArrivals().then(() => server.endIdle()), IDLE_CHECK_MS);
  if (!(await within(left(times.answeredMs), answered))) server.closeAllConnections();
  clearInterval(idleCheck);

  const closed = await within(
    left(times.closedMs),
    deps.close().catch((error) => {
      log.error({ error }, 'the database was not closed');
      throw error;
    }),
  );
  if (closed) log.info('closed');
  else log.error({ records: deps.audit.queueState().waiting }, 'shutdown timed out: audit records were not stored');
  await flushed(log, FLUSH_MS);
  return closed;
}

/**
 * Reads everything that has arrived. Node runs timers before it reads sockets, so a connection whose request arrived
 * while the process was busy still looks idle to a timer. One turn of the event loop accepts it, and the next one reads
 * it.
 */
async function readArrivals(): Promise<void> {
  await turn();
  await turn();
}
