import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import { cachedFor } from '../../caches.ts';
import type { Clock } from '../../context.ts';
import type { Lease } from '../../db/lease.ts';
import type { Log } from '../../log.ts';
import type { CheckResult, ServiceChanges } from './service-changes.ts';
import type { ServiceCheck } from './service-checks.ts';

export type CheckedState = Omit<ServiceState, 'since'>;

/** Returns the state of each service, which is checked at most every five seconds. Never rejects. */
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

/** At first it waits longer than the start, during which a SQLite database is busy. */
export const WATCH_PACE = { firstMs: 10_000, everyMs: 30_000 };
export type WatchPace = typeof WATCH_PACE;
/** Long enough to survive two failed rounds; after a crash, the lease remains taken for this long. */
const LEASE_SECONDS = 90;
/** The minimum interval, however often requests find that a service has changed. */
const WAKE_EVERY_MS = 5_000;
const PRUNE_EVERY_MS = 3_600_000;
/** Needed for a database that repeatedly fails and recovers without being written to in between. */
const VIEW_MAX = 50;
/** How long `stop` waits for the database, which may not respond. */
const STOP_MS = 1_000;

/**
 * One of the replicas checks every service and stores the changes. While the database is unavailable, each replica
 * remembers the database states it saw, and stores them once the database is available again.
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
  /** The states of the database that this replica has seen since it became unavailable, oldest first. */
  let view: CheckResult[] = [];
  let holdsLease = false;
  let isFailing = false;
  let isRunning = false;
  let stopped = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<unknown> | undefined;

  /** `stop` waits for running work; no work begins after it. */
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
    // The first entry says when it became unavailable, and the last is its current state.
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
    // A replica that was frozen must not store outdated results.
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
    /** Called when a request finds that a service has changed: checks all at once if this replica runs the checks. */
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
