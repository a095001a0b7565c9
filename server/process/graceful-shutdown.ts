import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { flushed, type Log } from '../log/log.ts';

/** Milliseconds since the end was asked for. */
export interface ShutdownTimes {
  /** Until then health fails and new connections are still taken: balancers turn away from the service. */
  noticeMs: number;
  /** Requests that are not answered by then are cut. */
  answeredMs: number;
  /** What is not stored and closed by then is given up, and the log says so. */
  closedMs: number;
}

export const SHUTDOWN_TIMES: ShutdownTimes = { noticeMs: 1_000, answeredMs: 7_000, closedMs: 9_000 };
/** For the last lines of the log, after all that. */
export const FLUSH_MS = 500;
/** A connection whose answer began before the end was told that it may stay. */
const LOOK_FOR_IDLE_MS = 100;

/**
 * Answers what has been asked, stores what waits to be stored, and closes everything, whatever hangs: a caller who does
 * not read, an upstream or a database that says nothing.
 * @returns whether all of it came to its end in time
 */
export async function gracefulShutdown(options: {
  server: Server;
  deps: Pick<Deps, 'startDraining' | 'close' | 'audit'>;
  log: Log;
  times: ShutdownTimes;
}): Promise<boolean> {
  const { server, deps, log, times } = options;
  const begun = performance.now();
  const left = (until: number): number => Math.max(0, until - (performance.now() - begun));

  deps.startDraining();
  await sleep(times.noticeMs);
  const answered = once(server, 'close').then(() => true);
  server.close();
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_FOR_IDLE_MS);
  if (!(await within(left(times.answeredMs), answered))) server.closeAllConnections();
  clearInterval(looking);

  const closed = await within(
    left(times.closedMs),
    deps.close().then(
      () => true,
      (error) => {
        log.error({ error }, 'the database was not closed');
        return false;
      },
    ),
  );
  if (closed) log.info('closed');
  else log.error({ records: deps.audit.queueState().waiting }, 'the end is cut short: audit records are not stored');
  await flushed(log, FLUSH_MS);
  return closed;
}

/** @returns false when it takes longer */
async function within(milliseconds: number, work: Promise<boolean>): Promise<boolean> {
  const inTime = new AbortController();
  try {
    return await Promise.race([work, sleep(milliseconds, false, { signal: inTime.signal })]);
  } finally {
    inTime.abort();
  }
}
