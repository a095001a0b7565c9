import { setTimeout as sleep } from 'node:timers/promises';
import { type KeptReadings, UNCONFIRMED_MS } from './file.ts';
import type { IndexPlace } from './files.ts';
import { preparePlace } from './files.ts';
import { IndexUnavailable, indexThread, type RunningIndex } from './thread.ts';
import { type IndexUpkeep, indexUpkeep, type UpkeepOptions } from './upkeep.ts';

/** Neither the start nor a question waits longer for a large file that a killed process left to be mended. */
const OPENING_MS = 5_000;
const CONFIRMED_EVERY_MS = 10 * 60_000;
/** When the service ends, records are still to be stored after this. */
const ENDING_MS = 2_000;

export interface LifecycleOptions extends UpkeepOptions {
  place: IndexPlace;
  /** How often is looked whether a pass has confirmed what the index holds. */
  confirmedEveryMs?: number;
}

/** `IDENTITY_INDEX=off`: nothing is read, found or counted. */
export class IndexOff extends Error {}

/** The index while it runs. */
export interface LiveIndex {
  ask: RunningIndex['ask'];
  upkeep: IndexUpkeep;
  /** When somebody first asked, by the monotonic clock. */
  askedSince: number;
}

interface Begun {
  thread: RunningIndex;
  upkeep: IndexUpkeep;
  confirming: NodeJS.Timeout;
}

/** Begins, empties and ends the index. */
export interface IndexLifecycle {
  /**
   * Begins with the service where a file is configured, and removes those that were configured before.
   * @throws ConfigurationError for a file that must not be used
   */
  start(): Promise<void>;
  /** Begins with the first question where nothing did before. @throws IndexOff, IndexUnavailable */
  running(): Promise<LiveIndex>;
  /** What parses large pages, too; nothing is read for that. Undefined if the index is off. */
  thread(): RunningIndex['ask'] | undefined;
  /** Undefined while nobody has asked anything. */
  upkeep(): IndexUpkeep | undefined;
  stop(): Promise<void>;
}

export function indexLifecycle(options: LifecycleOptions): IndexLifecycle {
  const { place, database, now, monotonic, log, confirmedEveryMs = CONFIRMED_EVERY_MS } = options;
  const isOff = place.memoryBytes === 0;
  let begun: Begun | undefined;
  let askedSince: number | undefined;

  function begin(): Begun {
    const onBegin = (kept: KeptReadings): void => begun?.upkeep.forgetAll(kept);
    const thread = indexThread({ place, now, monotonic, onBegin, log });
    const confirming = setInterval(() => void emptyUnconfirmed(thread), confirmedEveryMs).unref();
    return { thread, upkeep: indexUpkeep(thread.ask, options), confirming };
  }

  async function emptyUnconfirmed(thread: RunningIndex): Promise<void> {
    // Without its worker it holds nothing; a file is looked at when the next one opens it.
    const since = await thread.ask.unconfirmedSince().catch(() => undefined);
    if (since === undefined || now() - since < UNCONFIRMED_MS) return;
    log.info('the index of identities is emptied: no whole pass has confirmed it for a day');
    thread.empty();
  }

  return {
    async start() {
      await preparePlace(place, { database, now, log });
      if (isOff || place.file === undefined) return;
      begun = begin();
      await atMost(OPENING_MS, begun.thread.opened());
    },
    async running() {
      if (isOff) throw new IndexOff();
      begun ??= begin();
      askedSince ??= monotonic();
      const { thread, upkeep } = begun;
      if (!(await atMost(OPENING_MS, thread.opened()))) throw new IndexUnavailable('its file is not open yet');
      upkeep.asked();
      return { ask: thread.ask, upkeep, askedSince };
    },
    thread() {
      if (isOff) return undefined;
      begun ??= begin();
      return begun.thread.ask;
    },
    upkeep: () => begun?.upkeep,
    async stop() {
      clearInterval(begun?.confirming);
      await begun?.upkeep.stop();
      if (begun !== undefined) await atMost(ENDING_MS, begun.thread.stop());
    },
  };
}

/** @returns whether the work was done in time; false if it failed, too */
export async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(ms, undefined, { ref: false, signal: waiting.signal });
  const isDone = await Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    late.then(
      () => false,
      () => false,
    ),
  ]);
  waiting.abort();
  return isDone;
}
