import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexState } from '../../shared/identity-search.ts';
import type { WriteRecord } from './change-of.ts';
import type { Asked, FoundPage, IndexNumbers } from './index-commands.ts';
import { IndexUnavailable, indexThread, type RunningIndex } from './index-thread.ts';
import { type IndexUpkeep, indexUpkeep, type UpkeepOptions } from './index-upkeep.ts';
import type { Reading } from './passes.ts';
import type { Order, Place } from './question.ts';
import type { Circle, SessionEntry, SessionFilter } from './sessions-index.ts';
import type { Kind } from './sources.ts';

const FIRST_READING_MS = 8_000;
/** Whoever has just been created is read again within this time, unless many others are. */
const SETTLED_MS = 500;

/** Nothing has been read yet, or there is no index: what it is asked for is unknown. */
export class NothingRead extends Error {}
/** The question took longer than it may. */
export class QuestionTooLong extends Error {}

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
  /** Something was written through us: what is deleted is out at once, anything else is read again. */
  noted(record: WriteRecord): void;
  /** A batch of people was written through us; undefined if its answer did not say who. */
  batchWritten(ids: readonly string[] | undefined): void;
  stop(): Promise<void>;
}

export function identityIndex(
  options: UpkeepOptions & {
    /** 0 for no index at all. */
    maxBytes: number;
  },
): IdentityIndex {
  const { maxBytes, now, log } = options;
  let begun: { thread: RunningIndex; passes: IndexUpkeep } | undefined;

  /** The thread starts with the first question: a service that nobody asks needs none. */
  function running(): { ask: RunningIndex['ask']; passes: IndexUpkeep } {
    if (maxBytes === 0) throw new NothingRead();
    if (begun === undefined) {
      const thread = indexThread({ data: { maxBytes }, onBegin: () => begun?.passes.forgetAll(), log });
      begun = { thread, passes: indexUpkeep(thread.ask, options) };
    }
    begun.passes.asked();
    return { ask: begun.thread.ask, passes: begun.passes };
  }

  async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([work, sleep(ms, undefined, { ref: false, signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
  }

  /**
   * The first answers wait for the first reading, but not for long: then they are about what has been read. All wait for
   * what was written through us a moment ago.
   */
  async function firstReading(passes: IndexUpkeep, kinds: readonly Kind[]): Promise<void> {
    const first = kinds.filter((kind) => {
      const { wholeAt, failingSince } = passes.state(kind);
      return wholeAt === undefined && failingSince === undefined;
    });
    if (first.length > 0) await atMost(FIRST_READING_MS, Promise.all(first.map(passes.ended)));
    const settled = passes.settled();
    if (settled !== undefined) await atMost(SETTLED_MS, settled);
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
    const { ask, passes } = running();
    await firstReading(passes, ['people']);
    const [answer, { people }] = await Promise.all([answered(question(ask)), answered(ask.sizes())]);
    const { complete, asOf } = known(undefined, passes.state('people'));
    if (people === 0 && !complete) throw new NothingRead();
    return { ...answer, index: { complete, identities: people, as_of: new Date(asOf).toISOString() } };
  }

  async function ofSessions<T>(question: (ask: RunningIndex['ask']) => Promise<T>): Promise<Known<T>> {
    const { ask, passes } = running();
    await firstReading(passes, ['sessions']);
    return known(await answered(question(ask)), passes.state('sessions'));
  }

  return {
    search: (asked, order, size, after) => ofPeople((ask) => ask.search(asked, order, size, after)),
    ids: (asked, most) => ofPeople(async (ask) => named('ids', await ask.ids(asked, most))),
    count: (asked) => ofPeople(async (ask) => named('count', await ask.count(asked))),
    async numbers() {
      const { ask, passes } = running();
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
      const { ask, passes } = running();
      await firstReading(passes, ['clients']);
      return known(await answered(ask.findClients(text, most)), passes.state('clients'));
    },
    removed: (ids) => begun?.passes.removed(ids),
    noted: (record) => begun?.passes.noted(record),
    batchWritten: (ids) => begun?.passes.batchWritten(ids),
    async stop() {
      begun?.passes.stop();
      await begun?.thread.stop();
    },
  };
}

const named = <Name extends string, T>(name: Name, value: T | 'too-long'): 'too-long' | { [Key in Name]: T } =>
  value === 'too-long' ? 'too-long' : ({ [name]: value } as { [Key in Name]: T });
