import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import { cachedFor } from '../../cached-for.ts';
import type { Clock } from '../../context.ts';
import type { Lease } from '../../db/lease.ts';
import type { Log } from '../../log.ts';
import type { CheckResult, ServiceChanges } from './service-changes.ts';
import type { ServiceCheck } from './service-checks.ts';

export type CheckedState = Omit<ServiceState, 'since'>;

/** Each service's state; checks it at most every five seconds. Never rejects. */
export type ServiceStates = ReadonlyMap<ServiceName, () => Promise<CheckedState>>;

const CACHE_MS = 5_000;

export const serviceStates = (
  checks: ReadonlyMap<ServiceName, ServiceCheck>,
  { now, monotonic }: Clock,
): ServiceStates =>
  new Map(
    [...checks].map(([name, check]) => {
      const stateOf = async () => ({ name, ...(await check()), checked_at: new Date(now()).toISOString() });
      return [name, cachedFor(CACHE_MS, stateOf, monotonic)];
    }),
  );

/** When services are checked. */
export interface WatchPace {
  /** After the start, during which a SQLite database is busy. */
  firstMs: number;
  everyMs: number;
}

export const WATCH_PACE: WatchPace = { firstMs: 10_000, everyMs: 30_000 };
/** Outlives two rounds that fail; a process that dies holds it for so long. */
const LEASE_SECONDS = 90;
/** However often requests find a service changed. */
const WAKE_EVERY_MS = 5_000;
const PRUNE_EVERY_MS = 3_600_000;
/** For a database that comes and goes without being written to in between. */
const VIEW_MAX = 50;
/** The longest that `stop` waits for the database: it may be silent. */
const STOP_MS = 1_000;

/**
 * One of all replicas checks every service, and stores what has changed. While the database is away, each remembers how it
 * saw that, and stores it once the database is back.
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function serviceWatch(options: {
  states: ServiceStates;
  changes: ServiceChanges;
  lease: Lease;
  monotonic: () => number;
  log: Pick<Log, 'warn' | 'info'>;
  pace?: WatchPace | undefined;
}) {
  const { states, changes, lease, monotonic, log, pace = WATCH_PACE } = options;
  /** How this replica has seen the database since it went away; oldest first. */
  let view: CheckResult[] = [];
  let holdsLease = false;
  let isFailing = false;
  let isRunning = false;
  let stopped = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<unknown> | undefined;

  /** `stop` waits for what is running; nothing begins after it. */
  async function onDatabase<T>(work: () => Promise<T>): Promise<T> {
    if (stopped) throw new Error('stopped');
    const running = work();
    storing = running;
    return running;
  }

  /** @returns whether the database can be written to */
  function noteDatabase(found: CheckedState | undefined): boolean {
    if (found === undefined) return true;
    const { status, problem, checked_at: at } = found;
    const isAway = status === 'down';
    const last = view.at(-1);
    if (!isAway && last === undefined) return true;
    if (last?.status !== status || last.problem !== problem) view.push({ status, problem, at });
    // The first says since when, the last how it is now.
    if (view.length > VIEW_MAX) view.splice(1, 2);
    return !isAway;
  }

  async function round(): Promise<void> {
    if (!noteDatabase(await states.get('database')?.())) return;
    if (view.length > 0) {
      await onDatabase(() => changes.storeView('database', view));
      view = [];
    }
    holdsLease = await onDatabase(() => lease.hold(LEASE_SECONDS));
    if (!holdsLease) return;
    const found = new Map<ServiceName, CheckResult>();
    await Promise.all(
      [...states].map(async ([name, state]) => {
        const { status, problem, checked_at: at } = await state();
        found.set(name, { status, problem, at });
      }),
    );
    if (found.get('database')?.status === 'down') return;
    // A replica that froze stores nothing of long ago.
    await onDatabase(() => changes.store(found, lease.isHeld));
    if (isFailing) log.info('changes of services can be stored again');
    isFailing = false;
    if (monotonic() - prunedAt < PRUNE_EVERY_MS) return;
    await onDatabase(changes.forgetOld);
    prunedAt = monotonic();
  }

  async function run(): Promise<void> {
    isRunning = true;
    startedAt = monotonic();
    try {
      await round();
    } catch (error) {
      if (!isFailing && !stopped) log.warn({ error }, 'changes of services cannot be stored');
      isFailing = true;
    } finally {
      isRunning = false;
      schedule(pace.everyMs);
    }
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void run(), ms).unref();
  }

  async function end(): Promise<void> {
    await storing?.catch(() => {});
    if (startedAt > Number.NEGATIVE_INFINITY) await lease.release().catch(() => {});
  }

  return {
    start: (): void => schedule(pace.firstMs),
    /** A request has found a service changed: checks all at once, if this replica is the one that does. */
    wake(): void {
      if (holdsLease && !isRunning && !stopped && monotonic() - startedAt >= WAKE_EVERY_MS) void run();
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([end(), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
export type ServiceWatch = ReturnType<typeof serviceWatch>;
