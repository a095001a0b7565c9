import type { ClientIndexState } from '../../shared/client-search.ts';
import type { IndexState } from '../../shared/identities.ts';
import { ApiError } from '../http/errors.ts';
import { questionFailed } from '../upstream/failure.ts';
import type { FoundClients } from './clients.ts';
import type { Asked, AskedSessions, FoundPage, IndexNumbers } from './commands.ts';
import type { Order, Place } from './full-text.ts';
import { atMost, IndexOff, indexLifecycle, type LifecycleOptions, type LiveIndex } from './lifecycle.ts';
import type { PersonWithRole } from './people.ts';
import type { Reading } from './reading.ts';
import { type ReadRows, rowsReader } from './reading.ts';
import type { FoundSessions, PlaceCounts } from './sessions.ts';
import type { Kind } from './sources.ts';
import { IndexBusy, IndexUnavailable, type InTurn, questionsInTurn, type RunningIndex } from './thread.ts';
import type { WriteRecord } from './upkeep.ts';

const TOO_LONG = 'The question took too long. Narrow it.';
const BUSY = 'Too many searches are waiting. Try again in a few seconds.';

/**
 * The error of a search: without an index, 400 `search_not_supported`; where too many wait, 503. Any other error is
 * returned as it is.
 * @param what was sought, in the plural
 */
export function searchFailed(error: unknown, what = 'identities'): unknown {
  if (error instanceof NothingRead && error.cause instanceof IndexOff)
    return new ApiError('search_not_supported', {
      message: `The index is off (IDENTITY_INDEX=off): ${what} are neither searched nor counted.`,
      cause: error,
    });
  if (error instanceof NothingRead)
    return new ApiError('search_not_supported', {
      message: `The ${what} have not been read yet. Try again later.`,
      cause: error,
    });
  if (error instanceof IndexBusy)
    return new ApiError('service_unavailable', { message: BUSY, headers: { 'Retry-After': '3' } });
  return error instanceof QuestionTooLong ? new ApiError('gateway_timeout', { message: TOO_LONG }) : error;
}

/** The error of a count: where nothing has been read, that of reading. Otherwise as `searchFailed`. */
export function countFailed(error: unknown, what: string): unknown {
  if (error instanceof NothingRead && !(error.cause instanceof IndexOff))
    return error.cause === undefined ? new ApiError('gateway_timeout', { cause: error }) : questionFailed(error.cause);
  return searchFailed(error, what);
}

/** From the first question on. */
const FIRST_READING_MS = 8_000;
/** Whoever has just been created is read again within this time, unless many others are. */
const SETTLED_MS = 500;
/** How long a question waits for the newest. */
const REFRESH_MS = 2_000;
const KINDS = ['people', 'sessions', 'clients'] as const satisfies Kind[];
/** Every open overview requests numbers and places. */
const CACHE_MS = 10_000;
const CACHED = 16;
const NUMBERS = 'numbers';

/** Nothing has been read yet, or there is no index: what it is asked for is unknown. `cause` is why reading failed. */
export class NothingRead extends Error {}
/** The question took longer than it may. */
export class QuestionTooLong extends Error {}

/** A fact about one of the lists, and what it was read from. */
export interface Known<T> {
  value: T;
  /** Whether a whole reading is in it. */
  complete: boolean;
  /** When the newest were read, or that reading began, or the one under way; milliseconds since the epoch. */
  asOf: number;
}

/** Undefined where nothing is known. */
export type Numbers = { [Kind in keyof IndexNumbers]: Known<IndexNumbers[Kind]> | undefined };

/**
 * What can be found and counted among the people, sessions and clients of the deployment: a cache, read from the store by
 * polite passes, which may vanish at any time. Every method makes the passes go on, and rejects with `NothingRead` while
 * nothing is known, with `IndexBusy` while too many ask. `session` is whose question it is: sessions take turns.
 */
export interface IdentityIndex {
  /**
   * Begins with the service where a file is configured, and removes those that were configured before.
   * @throws ConfigurationError for a file that must not be used
   */
  start(): Promise<void>;
  /** Resolves when people can be sought. */
  ready(): Promise<void>;
  /** Reads the newest people, unless that was done a moment ago, but for no longer than two seconds. */
  refresh(): Promise<void>;
  search(
    session: string,
    asked: Asked,
    order: Order,
    size: number,
    after: Place | undefined,
  ): Promise<FoundPage & { index: IndexState }>;
  ids(session: string, asked: Asked, most: number): Promise<{ ids: string[]; index: IndexState }>;
  count(session: string, asked: Asked): Promise<{ count: number; index: IndexState }>;
  /** How many people there are, without waiting for a reading. */
  total(): Promise<Known<number>>;
  /** Up to 10 s old, but not where something was written through us. */
  numbers(): Promise<Numbers>;
  /** As old as `numbers`. */
  places(session: string, asked: AskedSessions): Promise<Known<PlaceCounts>>;
  sessions(
    session: string,
    asked: AskedSessions,
    size: number,
    after: Place | undefined,
  ): Promise<Known<FoundSessions>>;
  sessionIds(session: string, asked: AskedSessions, most: number): Promise<Known<string[]>>;
  /**
   * People with an operator's role, by id, without waiting for a reading.
   * @param schemas undefined for those of any schema
   */
  withRole(schemas: readonly string[] | undefined, most: number): Promise<Known<PersonWithRole[]>>;
  /** @param text any part of id, name or owner; all clients without it. @param after the id before the first one */
  findClients(
    session: string,
    text: string | undefined,
    most: number,
    after: string | undefined,
  ): Promise<FoundClients & { index: ClientIndexState }>;
  /** Rows of a page of the store. */
  readRows: ReadRows;
  /** These are gone from the store. */
  removed(kind: Kind, ids: readonly string[]): void;
  /** Something was written through us: what is deleted is out at once, anything else is read again. */
  noted(record: WriteRecord): void;
  /** A batch of people was written through us; undefined if its answer did not say who. */
  batchWritten(ids: readonly string[] | undefined): void;
  /** Seconds since the last whole reading of each list began; none before anybody has asked. @param at now */
  ages(at: number): Partial<Record<Kind, number>>;
  stop(): Promise<void>;
}

export function identityIndex(
  options: Omit<LifecycleOptions, 'onChange'>,
  inTurn: InTurn = questionsInTurn(),
): IdentityIndex {
  const { now, monotonic } = options;
  const cache = new Map<string, { answer: Promise<unknown>; until: number }>();
  const life = indexLifecycle({ ...options, onChange: () => cache.clear() });

  /**
   * The first answers wait for the first reading, but not for long: then they are about what has been read. All wait for
   * what was written through us a moment ago.
   */
  async function firstReading(kinds: readonly Kind[]): Promise<LiveIndex> {
    const live = await answered(life.running());
    const { upkeep, askedSince } = live;
    const first = kinds.filter((kind) => {
      const { wholeAt, failingSince } = upkeep.state(kind);
      return wholeAt === undefined && failingSince === undefined;
    });
    const rest = askedSince + FIRST_READING_MS - monotonic();
    if (first.length > 0 && rest > 0) await atMost(rest, Promise.all(first.map(upkeep.ended)));
    const settled = upkeep.settled();
    if (settled !== undefined) await atMost(SETTLED_MS, settled);
    return live;
  }

  function known<T>(value: T, { wholeAt, partAt, newestAt = 0, fits, failure }: Reading): Known<T> {
    const readAt = wholeAt ?? partAt;
    if (readAt === undefined) throw new NothingRead('nothing has been read', { cause: failure });
    return { value, complete: wholeAt !== undefined && fits, asOf: Math.max(readAt, newestAt) };
  }

  /** @throws NothingRead, QuestionTooLong */
  async function answered<T>(question: Promise<T | 'too-long'>): Promise<T> {
    const answer = await question.catch((error) => {
      if (error instanceof IndexOff) throw new NothingRead('there is no index', { cause: error });
      throw error instanceof IndexUnavailable ? new NothingRead() : error;
    });
    if (answer === 'too-long') throw new QuestionTooLong();
    return answer;
  }

  /** @throws NothingRead */
  async function toSearch(kind: Kind): Promise<LiveIndex> {
    const live = await firstReading([kind]);
    known(undefined, live.upkeep.state(kind));
    return live;
  }

  /** An answer that many may be given. A reading that is under way knows more every moment: then it is not kept. */
  function cached<T>(key: string, ask: () => Promise<T>, isComplete: (answer: T) => boolean): Promise<T> {
    const known = cache.get(key);
    if (known !== undefined && known.until > monotonic()) return known.answer as Promise<T>;
    const answer = ask();
    // However many places are requested, the numbers stay cached: all overviews show the same.
    const oldest = [...cache.keys()].find((one) => one !== NUMBERS) ?? key;
    if (cache.size >= CACHED) cache.delete(oldest);
    cache.set(key, { answer, until: monotonic() + CACHE_MS });
    const forget = (): void => {
      if (cache.get(key)?.answer === answer) cache.delete(key);
    };
    answer.then((given) => isComplete(given) || forget(), forget);
    return answer;
  }

  async function ofPeople<T extends object>(
    session: string,
    question: (ask: RunningIndex['ask']) => Promise<T | 'too-long'>,
  ): Promise<T & { index: IndexState }> {
    const { ask, upkeep } = await toSearch('people');
    const [answer, { people }] = await inTurn(session, () =>
      Promise.all([answered(question(ask)), answered(ask.sizes())]),
    );
    const { complete, asOf } = known(undefined, upkeep.state('people'));
    if (people === 0 && !complete) throw new NothingRead();
    return { ...answer, index: { complete, identities: people, as_of: new Date(asOf).toISOString() } };
  }

  /** What is known of people now. */
  async function atHand<T>(question: (ask: RunningIndex['ask']) => Promise<T>): Promise<Known<T>> {
    const { ask, upkeep } = await answered(life.running());
    const settled = upkeep.settled();
    if (settled !== undefined) await atMost(SETTLED_MS, settled);
    return known(await answered(question(ask)), upkeep.state('people'));
  }

  async function ofSessions<T>(
    session: string,
    question: (ask: RunningIndex['ask']) => Promise<T | 'too-long'>,
  ): Promise<Known<T>> {
    const { ask, upkeep } = await firstReading(['sessions']);
    return known(await inTurn(session, () => answered(question(ask))), upkeep.state('sessions'));
  }

  const countOf = (session: string, asked: Asked): Promise<{ count: number; index: IndexState }> =>
    ofPeople(session, async (ask) => named('count', await ask.count(asked)));

  async function numbersNow(): Promise<Numbers> {
    const { ask, upkeep } = await firstReading(['people', 'sessions', 'clients']);
    // Everybody’s: they count as nobody's.
    const { people, sessions, clients } = await inTurn('', () => answered(ask.numbers(now())));
    const part = <T>(value: T, kind: Kind): Known<T> | undefined => {
      const { wholeAt, partAt } = upkeep.state(kind);
      return wholeAt === undefined && partAt === undefined ? undefined : known(value, upkeep.state(kind));
    };
    return { people: part(people, 'people'), sessions: part(sessions, 'sessions'), clients: part(clients, 'clients') };
  }

  return {
    start: life.start,
    ready: async () => void (await toSearch('people')),
    async refresh() {
      const { upkeep } = await toSearch('people');
      await atMost(REFRESH_MS, upkeep.refreshed());
    },
    async search(session, asked, order, size, after) {
      const found = await ofPeople(session, (ask) => ask.search(asked, order, size, after));
      if (found.total !== null) return found;
      // In a turn of its own, since it may take as long again.
      const total = await countOf(session, asked).then(
        ({ count }) => count,
        () => null,
      );
      return { ...found, total };
    },
    ids: (session, asked, most) => ofPeople(session, async (ask) => named('ids', await ask.ids(asked, most))),
    count: countOf,
    numbers: () => cached(NUMBERS, numbersNow, (parts) => KINDS.every((kind) => parts[kind]?.complete)),
    places: (session, asked) =>
      cached(
        JSON.stringify(asked),
        () => ofSessions(session, (ask) => ask.places(asked)),
        ({ complete }) => complete,
      ),
    sessions: (session, asked, size, after) => ofSessions(session, (ask) => ask.sessions(asked, size, after)),
    sessionIds: (session, asked, most) => ofSessions(session, (ask) => ask.sessionIds(asked, most)),
    total: () => atHand(async (ask) => (await ask.sizes()).people),
    withRole: (schemas, most) => atHand((ask) => ask.peopleWithRole(schemas, most)),
    async findClients(session, text, most, after) {
      const { ask, upkeep } = await toSearch('clients');
      const [found, { clients }] = await inTurn(session, () =>
        Promise.all([answered(ask.findClients(text, most, after)), answered(ask.sizes())]),
      );
      const { complete, asOf } = known(undefined, upkeep.state('clients'));
      if (clients === 0 && !complete) throw new NothingRead();
      return { ...found, index: { complete, clients, as_of: new Date(asOf).toISOString() } };
    },
    readRows: rowsReader(life.thread),
    removed: (kind, ids) => life.upkeep()?.removed(kind, ids),
    noted: (record) => life.upkeep()?.noted(record),
    batchWritten: (ids) => life.upkeep()?.batchWritten(ids),
    ages(at) {
      const upkeep = life.upkeep();
      const ages: Partial<Record<Kind, number>> = {};
      for (const kind of KINDS) {
        const wholeAt = upkeep?.state(kind).wholeAt;
        if (wholeAt !== undefined) ages[kind] = Math.max(0, at - wholeAt) / 1000;
      }
      return ages;
    },
    stop: life.stop,
  };
}

const named = <Name extends string, T>(name: Name, value: T | 'too-long'): 'too-long' | { [Key in Name]: T } =>
  value === 'too-long' ? 'too-long' : ({ [name]: value } as { [Key in Name]: T });
