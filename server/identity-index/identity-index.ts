import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientIndexState } from '../../shared/client-search.ts';
import type { IndexState } from '../../shared/identity-search.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log/log.ts';
import type { FoundClients } from './clients-index.ts';
import type { Asked, FoundPage, IndexNumbers } from './index-commands.ts';
import { IndexUnavailable, indexThread, type RunningIndex } from './index-thread.ts';
import { type IndexSources, indexPasses, type Kind, type Passes, type PassOptions, type Reading } from './passes.ts';
import type { Order, Place } from './question.ts';
import { rereading } from './rereading.ts';
import type { Circle, SessionEntry, SessionFilter } from './sessions-index.ts';

const FIRST_READING_MS = 8_000;

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
  /** @param text any part of id, name or owner; all clients without it. @param after the id before the first one */
  findClients(
    text: string | undefined,
    most: number,
    after: string | undefined,
  ): Promise<FoundClients & { index: ClientIndexState }>;
  /** These people are gone from the store. */
  removed(ids: readonly string[]): void;
  /** These clients are gone from the OAuth 2.0 server. */
  removedClients(ids: readonly string[]): Promise<void>;
  /** This person was written or deleted through us, and is read again. */
  written(id: string): void;
  stop(): Promise<void>;
}

export function identityIndex(options: {
  database: Database;
  sources: IndexSources;
  /** 0 for no index at all. */
  maxBytes: number;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: PassOptions['pace'];
}): IdentityIndex {
  const { database, sources, maxBytes, now, monotonic, log, pace } = options;
  let begun: { thread: RunningIndex; passes: Passes; reread: (id: string) => void } | undefined;

  /** The thread starts with the first question: a service that nobody asks needs none. */
  function running(): { ask: RunningIndex['ask']; passes: Passes } {
    if (maxBytes === 0) throw new NothingRead();
    if (begun === undefined) {
      const thread = indexThread({ data: { maxBytes }, onBegin: () => begun?.passes.forgetAll(), log });
      const clocks = { now, monotonic, log, ...(pace && { pace }) };
      const passes = indexPasses({ index: thread.ask, sources, lease: lease(database, 'index'), ...clocks });
      const { putPeople: put, removePeople: remove } = passes;
      begun = { thread, passes, reread: rereading({ read: sources.peopleBy, put, remove, log }) };
    }
    begun.passes.asked();
    return { ask: begun.thread.ask, passes: begun.passes };
  }

  /** The first answers wait for the first reading, but not for long: then they are about what has been read. */
  async function firstReading(passes: Passes, kinds: readonly Kind[]): Promise<void> {
    const first = kinds.filter((kind) => {
      const { wholeAt, failingSince } = passes.state(kind);
      return wholeAt === undefined && failingSince === undefined;
    });
    if (first.length === 0) return;
    const waiting = new AbortController();
    await Promise.race([
      Promise.all(first.map(passes.ended)),
      sleep(FIRST_READING_MS, undefined, { ref: false, signal: waiting.signal }).catch(() => {}),
    ]);
    waiting.abort();
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
    async findClients(text, most, after) {
      const { ask, passes } = running();
      await firstReading(passes, ['clients']);
      const [found, { clients }] = await Promise.all([
        answered(ask.findClients(text, most, after)),
        answered(ask.sizes()),
      ]);
      const { complete, asOf } = known(undefined, passes.state('clients'));
      if (clients === 0 && !complete) throw new NothingRead();
      return { ...found, index: { complete, clients, as_of: new Date(asOf).toISOString() } };
    },
    removed(ids) {
      begun?.passes
        .removePeople(ids)
        .catch((error) => log.warn({ error }, 'the index of identities missed a deletion'));
    },
    async removedClients(ids) {
      try {
        for (const id of ids) await begun?.thread.ask.removeClient(id);
      } catch (error) {
        log.warn({ error }, 'the index of clients missed a deletion');
      }
    },
    written: (id) => begun?.reread(id),
    async stop() {
      begun?.passes.stop();
      await begun?.thread.stop();
    },
  };
}

const named = <Name extends string, T>(name: Name, value: T | 'too-long'): 'too-long' | { [Key in Name]: T } =>
  value === 'too-long' ? 'too-long' : ({ [name]: value } as { [Key in Name]: T });
