import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import type { Lease } from '../../db/lease.ts';
import type { Log } from '../../log.ts';
import type { Found, ServiceChanges } from './service-changes.ts';
import type { ServiceCheck } from './service-checks.ts';

/** What a check has found, and when. */
export type FoundState = Omit<ServiceState, 'since'>;

/** Each service's state; checks it at most every five seconds. Never rejects. */
export type ServiceStates = ReadonlyMap<ServiceName, () => Promise<FoundState>>;

const CACHE_MS = 5_000;

/**
 * @param checks in the order of the response
 * @param now milliseconds since the epoch
 * @param monotonic milliseconds on a monotonic clock
 */
export const serviceStates = (
  checks: ReadonlyMap<ServiceName, ServiceCheck>,
  now: () => number,
  monotonic: () => number,
): ServiceStates =>
  new Map(
    [...checks].map(([name, check]) => [
      name,
      shared(async () => ({ name, ...(await check()), checked_at: new Date(now()).toISOString() }), monotonic),
    ]),
  );

/** Shares one check among all callers while it runs and for five seconds after. */
function shared<T>(check: () => Promise<T>, monotonic: () => number): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && monotonic() < last.until) return last.answer;
    const current = { answer: check(), until: Number.POSITIVE_INFINITY };
    last = current;
    const ends = (): void => {
      current.until = monotonic() + CACHE_MS;
    };
    current.answer.then(ends, ends);
    return current.answer;
  };
}

/** When services are looked at. */
export interface WatchPace {
  /** After the start, which keeps a SQLite database busy. */
  firstMs: number;
  everyMs: number;
}

export interface ServiceWatch {
  start(): void;
  /** Somebody has found a service otherwise than stored: looks at once, if this replica is the one that looks. */
  wake(): void;
  stop(): Promise<void>;
}

export const WATCH_PACE: WatchPace = { firstMs: 10_000, everyMs: 30_000 };
/** Outlives two looks that fail; a process that dies holds it for so long. */
const LEASE_SECONDS = 90;
/** Somebody who asks all the time has it looked no more often than this. */
const WOKEN_APART_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;
/** Of a database that comes and goes without being written to in between. */
const VIEW_MAX = 50;
/** The longest that the end waits for the database: it may be silent. */
const STOP_MS = 1_000;

class Stopped extends Error {}

/**
 * One of all replicas looks at every service, and stores what has changed. While the database is away, each keeps to itself
 * how it saw that, and stores it once the database is back.
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function serviceWatch(options: {
  states: ServiceStates;
  changes: ServiceChanges;
  lease: Lease;
  monotonic: () => number;
  log: Pick<Log, 'warn' | 'info'>;
  pace?: WatchPace;
}): ServiceWatch {
  const { states, changes, lease, monotonic, log, pace = WATCH_PACE } = options;
  /** How this replica has seen the database since it went away; oldest first. */
  let view: Found[] = [];
  let isOurs = false;
  let isFailing = false;
  let isLooking = false;
  let stopped = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let forgotAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<unknown> | undefined;

  /** What is under way at the end is waited for; nothing begins after it. */
  async function onDatabase<T>(work: () => Promise<T>): Promise<T> {
    if (stopped) throw new Stopped();
    const under = work();
    storing = under;
    return under;
  }

  /** @returns whether the database can be written to */
  function noteDatabase(found: FoundState | undefined): boolean {
    if (found === undefined) return true;
    const { status, problem, checked_at: at } = found;
    const isAway = status === 'down';
    const last = view.at(-1);
    if (!isAway && last === undefined) return true;
    if (last?.status !== status || last.problem !== problem) view.push({ status, problem, at });
    // The first says since when, the last how it stands.
    if (view.length > VIEW_MAX) view.splice(1, 2);
    return !isAway;
  }

  async function look(): Promise<void> {
    if (!noteDatabase(await states.get('database')?.())) return;
    if (view.length > 0) {
      await onDatabase(() => changes.storeView('database', view));
      view = [];
    }
    isOurs = await onDatabase(() => lease.hold(LEASE_SECONDS));
    if (!isOurs) return;
    const found = new Map<ServiceName, Found>();
    await Promise.all(
      [...states].map(async ([name, state]) => {
        const { status, problem, checked_at: at } = await state();
        found.set(name, { status, problem, at });
      }),
    );
    if (found.get('database')?.status === 'down') return;
    // A replica that froze meanwhile stores nothing of long ago.
    await onDatabase(() => changes.store(found, lease.isHeld));
    if (isFailing) log.info('changes of services can be stored again');
    isFailing = false;
    if (monotonic() - forgotAt < FORGET_EVERY_MS) return;
    await onDatabase(changes.forgetOld);
    forgotAt = monotonic();
  }

  async function run(): Promise<void> {
    isLooking = true;
    lookedAt = monotonic();
    try {
      await look();
    } catch (error) {
      if (!isFailing && !stopped) log.warn({ error }, 'changes of services cannot be stored');
      isFailing = true;
    } finally {
      isLooking = false;
      schedule(pace.everyMs);
    }
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void run(), ms).unref();
  }

  async function end(): Promise<void> {
    await storing?.catch(() => {});
    if (lookedAt > Number.NEGATIVE_INFINITY) await lease.release().catch(() => {});
  }

  return {
    start: () => schedule(pace.firstMs),
    wake() {
      if (isOurs && !isLooking && !stopped && monotonic() - lookedAt >= WOKEN_APART_MS) void run();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.race([end(), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
