import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexState } from '../../shared/identity-search.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log/log.ts';
import type { Asked, FoundPage, IndexNumbers } from './index-commands.ts';
import { type KeptReadings, UNCONFIRMED_MS } from './index-facts.ts';
import type { IndexPlace } from './index-place.ts';
import { IndexUnavailable, indexThread, type RunningIndex } from './index-thread.ts';
import { type IndexSources, indexPasses, type Kind, type Passes, type PassOptions, type Reading } from './passes.ts';
import { preparePlace } from './prepare-place.ts';
import type { Order, Place } from './question.ts';
import { rereading } from './rereading.ts';
import type { Circle, SessionEntry, SessionFilter } from './sessions-index.ts';

const FIRST_READING_MS = 8_000;
/** Neither the start nor a question waits longer for a large file that a killed process left to be mended. */
const OPENING_MS = 5_000;
const CONFIRMED_EVERY_MS = 10 * 60_000;

/** Nothing has been read yet, or there is no index: what it is asked for is unknown. */
export class NothingRead extends Error {}
/** The question took longer than it may. */
export class QuestionTooLong extends Error {}

interface Begun {
  thread: RunningIndex;
  passes: Passes;
  reread: (id: string) => void;
  confirming: NodeJS.Timeout;
}

/** A fact about one of the lists, and what it was read from. */
export interface Known<T> {
  value: T;
  /** Whether a whole reading is in it. */
  complete: boolean;
  /** When that reading began, or the one under way; milliseconds since the epoch. */
  asOf: number;
}

/**
 * What can be found and counted among the people, sessions and clients of the deployment: a cache, read from the store by
 * polite passes, which may vanish at any time. Every method makes the passes go on, and rejects with `NothingRead` while
 * nothing is known.
 */
export interface IdentityIndex {
  /**
   * Begins with the service where a file is configured, and removes those that were configured before.
   * @throws ConfigurationError for a file that must not be used
   */
  start(): Promise<void>;
  search(
    asked: Asked,
    order: Order,
    size: number,
    after: Place | undefined,
  ): Promise<FoundPage & { index: IndexState }>;
  ids(asked: Asked, most: number): Promise<{ ids: string[]; index: IndexState }>;
  count(asked: Asked): Promise<{ count: number; index: IndexState }>;
  numbers(): Promise<{ [Kind in keyof IndexNumbers]: Known<IndexNumbers[Kind]> | undefined }>;
  places(filter: SessionFilter): Promise<Known<{ place: SessionEntry['place']; count: number }[]>>;
  located(circle: Circle, filter: SessionFilter, most: number): Promise<Known<{ ids: string[]; total: number }>>;
  findClients(text: string, most: number): Promise<Known<string[]>>;
  /** These people are gone from the store. */
  removed(ids: readonly string[]): void;
  /** This person was written or deleted through us, and is read again. */
  written(id: string): void;
  stop(): Promise<void>;
}

export function identityIndex(options: {
  database: Database;
  sources: IndexSources;
  place: IndexPlace;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: PassOptions['pace'];
  /** How often is looked whether a pass has confirmed what the index holds. */
  confirmedEveryMs?: number;
}): IdentityIndex {
  const { database, sources, place, now, monotonic, log, pace, confirmedEveryMs = CONFIRMED_EVERY_MS } = options;
  let isOff = place.memoryBytes === 0;
  let begun: Begun | undefined;

  function begin(): Begun {
    const onBegin = (kept: KeptReadings): void => begun?.passes.forgetAll(kept);
    const thread = indexThread({ place, now, monotonic, onBegin, log });
    const clocks = { now, monotonic, log, ...(pace && { pace }) };
    const passes = indexPasses({ index: thread.ask, sources, lease: lease(database, 'index'), ...clocks });
    const { putPeople: put, removePeople: remove } = passes;
    const confirming = setInterval(() => void emptyUnconfirmed(thread), confirmedEveryMs).unref();
    return { thread, passes, reread: rereading({ read: sources.peopleBy, put, remove, log }), confirming };
  }

  async function emptyUnconfirmed(thread: RunningIndex): Promise<void> {
    // Without its worker it holds nothing; a file is looked at when the next one opens it.
    const since = await thread.ask.unconfirmedSince().catch(() => undefined);
    if (since === undefined || now() - since < UNCONFIRMED_MS) return;
    log.info('the index of identities is emptied: no whole pass has confirmed it for a day');
    thread.empty();
  }

  /** In memory, the thread starts with the first question: a service that nobody asks needs none. */
  async function running(): Promise<{ ask: RunningIndex['ask']; passes: Passes }> {
    if (isOff) throw new NothingRead();
    begun ??= begin();
    const { thread, passes } = begun;
    if (!(await inTime(thread.opened(), OPENING_MS))) throw new NothingRead();
    passes.asked();
    return { ask: thread.ask, passes };
  }

  /** The first answers wait for the first reading, but not for long: then they are about what has been read. */
  async function firstReading(passes: Passes, kinds: readonly Kind[]): Promise<void> {
    const first = kinds.filter((kind) => {
      const { wholeAt, failingSince } = passes.state(kind);
      return wholeAt === undefined && failingSince === undefined;
    });
    if (first.length === 0) return;
    await inTime(Promise.all(first.map(passes.ended)), FIRST_READING_MS);
  }

  const isKnown = ({ wholeAt, begunAt }: Reading): boolean => wholeAt !== undefined || begunAt !== undefined;
  function known<T>(value: T, reading: Reading): Known<T> {
    const asOf = reading.wholeAt ?? reading.begunAt;
    if (asOf === undefined) throw new NothingRead();
    return { value, complete: reading.wholeAt !== undefined && reading.fits, asOf };
  }

  /** @throws NothingRead, QuestionTooLong */
  async function answered<T>(question: Promise<T | 'too-long'>): Promise<T> {
    const answer = await question.catch((error) => {
      throw error instanceof IndexUnavailable ? new NothingRead() : error;
    });
    if (answer === 'too-long') throw new QuestionTooLong();
    return answer;
  }

  async function ofPeople<T extends object>(
    question: (ask: RunningIndex['ask']) => Promise<T | 'too-long'>,
  ): Promise<T & { index: IndexState }> {
    const { ask, passes } = await running();
    await firstReading(passes, ['people']);
    const [answer, { people }] = await Promise.all([answered(question(ask)), answered(ask.sizes())]);
    const { complete, asOf } = known(undefined, passes.state('people'));
    if (people === 0 && !complete) throw new NothingRead();
    return { ...answer, index: { complete, identities: people, as_of: new Date(asOf).toISOString() } };
  }

  async function ofSessions<T>(question: (ask: RunningIndex['ask']) => Promise<T>): Promise<Known<T>> {
    const { ask, passes } = await running();
    await firstReading(passes, ['sessions']);
    return known(await answered(question(ask)), passes.state('sessions'));
  }

  return {
    async start() {
      isOff = !(await preparePlace(place, { database, now, log }));
      if (isOff || place.file === undefined) return;
      begun = begin();
      await inTime(begun.thread.opened(), OPENING_MS);
    },
    search: (asked, order, size, after) => ofPeople((ask) => ask.search(asked, order, size, after)),
    ids: (asked, most) => ofPeople(async (ask) => named('ids', await ask.ids(asked, most))),
    count: (asked) => ofPeople(async (ask) => named('count', await ask.count(asked))),
    async numbers() {
      const { ask, passes } = await running();
      await firstReading(passes, ['people', 'sessions', 'clients']);
      const numbers = await answered(ask.numbers(now()));
      const { people, sessions, clients } = numbers;
      const part = <T>(value: T, reading: Reading) => (isKnown(reading) ? known(value, reading) : undefined);
      return {
        people: part(people, passes.state('people')),
        sessions: part(sessions, passes.state('sessions')),
        clients: part(clients, passes.state('clients')),
      };
    },
    places: (filter) => ofSessions((ask) => ask.places(filter)),
    located: (circle, filter, most) => ofSessions((ask) => ask.located(circle, filter, most)),
    async findClients(text, most) {
      const { ask, passes } = await running();
      await firstReading(passes, ['clients']);
      return known(await answered(ask.findClients(text, most)), passes.state('clients'));
    },
    removed(ids) {
      begun?.passes
        .removePeople(ids)
        .catch((error) => log.warn({ error }, 'the index of identities missed a deletion'));
    },
    written: (id) => begun?.reread(id),
    async stop() {
      clearInterval(begun?.confirming);
      begun?.passes.stop();
      await begun?.thread.stop();
    },
  };
}

const named = <Name extends string, T>(name: Name, value: T | 'too-long'): 'too-long' | { [Key in Name]: T } =>
  value === 'too-long' ? 'too-long' : ({ [name]: value } as { [Key in Name]: T });

/** Waits for its end, but not for longer. @returns whether it has succeeded by then */
async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(ms, false, { ref: false, signal: waiting.signal }).catch(() => false);
  const done = await Promise.race([work.then(() => true).catch(() => false), late]);
  waiting.abort();
  return done;
}
