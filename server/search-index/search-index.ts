import { cachedByKey, within } from '../caches.ts';
import { ApiError } from '../http/errors.ts';
import { routeError, UpstreamFailure } from '../upstream/failure.ts';
import { type ChangesOptions, indexChanges, type WriteRecord } from './changes.ts';
import { type Cursor, decodeToken, KINDS, type Kind, listName, SearchTooLong, UNCONFIRMED_MS } from './database.ts';
import { type IndexLocation, prepareLocation } from './file.ts';
import type { IdentitiesQuery, Order } from './identities.ts';
import type { SessionsQuery } from './sessions.ts';
import { isNotConfigured, type SyncState } from './sync.ts';
import { IndexBusy, indexThread, NothingIndexed, type RemoteCommands, rowsReader, searchQueue } from './thread.ts';
import type { IndexCommands } from './worker.ts';

/** How long startup and queries wait while SQLite repairs a large file after a crash. */
const OPENING_MS = 5_000;
const CONFIRMED_EVERY_MS = 10 * 60_000;
/** How long a shutdown waits for the worker; audit records are stored after it. */
const ENDING_MS = 2_000;
/** How long the first queries wait for the first full sync. */
const FIRST_SYNC_MS = 8_000;
/** How long a query waits for rows that were just written; they are read within this time unless the queue is long. */
const SETTLED_MS = 500;
/** How long a search waits for the newest identities. */
const REFRESH_MS = 2_000;
/** Complete responses are cached, because every open overview polls numbers and places. */
const CACHE_MS = 10_000;
const CACHED_PLACES = 16;

/** `IDENTITY_INDEX=off`: nothing is read, found or counted. */
class IndexOff extends NothingIndexed {}

/**
 * The API error for a failed search; any other error is returned unchanged.
 * @param what the searched list: `identities`
 */
export function searchFailed(error: unknown, what: string): unknown {
  if (error instanceof NothingIndexed) {
    const off = `The index is off (IDENTITY_INDEX=off): ${what} are neither searched nor counted.`;
    const unread = `The ${what} have not been read yet. Try again later.`;
    return new ApiError('search_not_supported', { message: error instanceof IndexOff ? off : unread, cause: error });
  }
  if (error instanceof IndexBusy)
    return new ApiError('service_unavailable', {
      message: 'Too many searches are waiting. Try again in a few seconds.',
      headers: { 'Retry-After': '3' },
    });
  return error instanceof SearchTooLong
    ? new ApiError('gateway_timeout', { message: 'The search took too long. Narrow it.' })
    : error;
}

/** Like `searchFailed`, but while nothing has been read, returns the error of the failed sync. */
export function countFailed(error: unknown, what: string): unknown {
  if (!(error instanceof NothingIndexed) || error instanceof IndexOff) return searchFailed(error, what);
  return error.cause instanceof UpstreamFailure
    ? routeError(error.cause)
    : new ApiError('gateway_timeout', { cause: error });
}

/** A result and how fresh it is. */
export interface Fresh<T> {
  value: T;
  /** Whether a full sync has finished. */
  complete: boolean;
  /**
   * When the newest rows were read, or when the last full sync or the running first one began; milliseconds since the
   * epoch.
   */
  asOf: number;
}

/** Undefined for a list of which nothing has been read. */
export type Numbers = { [List in Kind]: Fresh<ReturnType<IndexCommands['numbers']>[List]> | undefined };

export type IdentityIndex = ReturnType<typeof identityIndex>;

/**
 * Finds and counts identities, sessions and clients of the deployment: a cache that is read from the store at a limited
 * rate and can be lost at any time. It is synchronised while it is queried. Queries reject with `NothingIndexed` while
 * nothing has been read, with `SearchTooLong`, and with `IndexBusy` while too many wait. Sessions take turns: `session`
 * is the id of the session that queries.
 * @param options.confirmedEveryMs how often to check whether a full sync has confirmed the index recently
 */
export function identityIndex(
  options: Omit<ChangesOptions, 'onChange'> & { location: IndexLocation; confirmedEveryMs?: number },
) {
  const { location, database, now, monotonic, log, confirmedEveryMs = CONFIRMED_EVERY_MS } = options;
  const inQueue = searchQueue();
  // Separate, so that queries for places never evict the numbers: all overviews must show the same ones.
  const numbersCache = cachedByKey<Numbers>({ max: 1, ms: CACHE_MS, monotonic });
  const placesCache = cachedByKey<Fresh<ReturnType<IndexCommands['countPlaces']>>>({
    max: CACHED_PLACES,
    ms: CACHE_MS,
    monotonic,
  });
  let running: ReturnType<typeof begin> | undefined;
  /** When the first query was made, by the monotonic clock. */
  let queriedSince: number | undefined;

  function begin() {
    const thread = indexThread({ location, now, monotonic, log, onOpen: (saved) => running?.changes.restart(saved) });
    const confirming = setInterval(async () => {
      // Without a worker there is nothing to empty: the next worker checks the file when it opens it.
      const since = await thread.commands.unconfirmedSince().catch(() => undefined);
      if (since === undefined || now() - since < UNCONFIRMED_MS) return;
      log.info('the index of identities is being emptied: no full sync has confirmed it for a day');
      thread.empty();
    }, confirmedEveryMs).unref();
    function onChange(): void {
      numbersCache.clear();
      placesCache.clear();
    }
    const changes = indexChanges(thread.commands, { ...options, onChange });
    return { thread, commands: thread.commands, changes, confirming };
  }

  /**
   * Starts the index if it is not running, and waits a limited time for the first full sync of these lists and for rows
   * that were just written.
   */
  async function afterSync(kinds: readonly Kind[]): Promise<NonNullable<typeof running>> {
    if (location.isOff) throw new IndexOff('the index is off');
    running ??= begin();
    queriedSince ??= monotonic();
    const { thread, changes } = running;
    if (!(await within(OPENING_MS, thread.opened()))) throw new NothingIndexed('the file is not open yet');
    changes.onQuery();
    const unread = kinds.filter((kind) => {
      const { fullAt, failure } = changes.state(kind);
      return fullAt === undefined && failure === undefined;
    });
    const restMs = queriedSince + FIRST_SYNC_MS - monotonic();
    if (unread.length > 0 && restMs > 0) await within(restMs, Promise.all(unread.map(changes.ended)));
    await within(SETTLED_MS, changes.settled());
    return running;
  }

  function fresh<T>(value: T, { fullAt, partialAt, newestAt = 0, fits, failure }: SyncState): Fresh<T> {
    const readAt = fullAt ?? partialAt;
    if (readAt === undefined) throw new NothingIndexed('nothing has been read', { cause: failure });
    return { value, complete: fullAt !== undefined && fits, asOf: Math.max(readAt, newestAt) };
  }

  async function ready(kind: Kind): Promise<NonNullable<typeof running>> {
    const index = await afterSync([kind]);
    fresh(undefined, index.changes.state(kind));
    return index;
  }

  async function query<T>(
    kind: Kind,
    session: string,
    run: (commands: RemoteCommands) => Promise<T>,
  ): Promise<Fresh<T>> {
    const { commands, changes } = await ready(kind);
    const value = await inQueue(session, () => run(commands));
    return fresh(value, changes.state(kind));
  }

  /** Like `query`, but the result includes the number of rows in the searched list. */
  async function search<T>(
    kind: 'identities' | 'clients',
    session: string,
    run: (commands: RemoteCommands) => Promise<T>,
  ): Promise<Fresh<T> & { size: number }> {
    const result = await query(kind, session, (commands) => Promise.all([run(commands), commands.sizes()]));
    const [value, { [kind]: size }] = result.value;
    if (size === 0 && !result.complete) throw new NothingIndexed('nothing has been read');
    return { ...result, value, size };
  }

  /** Runs a query without waiting for a sync or in the queue. */
  async function atOnce<T>(run: (commands: RemoteCommands) => Promise<T>): Promise<Fresh<T>> {
    const { commands, changes } = await afterSync([]);
    return fresh(await run(commands), changes.state('identities'));
  }

  async function numbersNow(): Promise<Numbers> {
    const { commands, changes } = await afterSync(KINDS);
    // The numbers are cached for everyone, so they wait under a separate key.
    const numbers = await inQueue('', () => commands.numbers(now()));
    const part = <List extends Kind>(kind: List) => {
      const state = changes.state(kind);
      return state.fullAt === undefined && state.partialAt === undefined ? undefined : fresh(numbers[kind], state);
    };
    return { identities: part('identities'), sessions: part('sessions'), clients: part('clients') };
  }

  const countIdentities = (session: string, identities: IdentitiesQuery) =>
    search('identities', session, (commands) => commands.countIdentities(identities));

  return {
    /** Opens the index at startup if it is in a file. @throws ConfigurationError if the file must not be used */
    async start(): Promise<void> {
      await prepareLocation(location, { database, now, log });
      if (location.isOff || location.file === undefined) return;
      running = begin();
      await within(OPENING_MS, running.thread.opened());
    },
    /** Resolves when identities can be searched. */
    ready: async (): Promise<void> => void (await ready('identities')),
    /** Waits at most two seconds until the newest identities have been read; returns immediately if they just were. */
    async refresh(): Promise<void> {
      const { changes } = await ready('identities');
      await within(REFRESH_MS, changes.refreshed());
    },
    /** `total` is null if counting takes too long. */
    async searchIdentities(session: string, identities: IdentitiesQuery, order: Order, size: number, after?: Cursor) {
      const found = await search('identities', session, (commands) =>
        commands.searchIdentities(identities, order, size, after),
      );
      if (found.value.total !== null) return found;
      // Counting is queued separately, since it may take as long as the search.
      const total = await countIdentities(session, identities).then(
        ({ value }) => value,
        () => null,
      );
      return { ...found, value: { ...found.value, total } };
    },
    identityIds: (session: string, identities: IdentitiesQuery, most: number) =>
      search('identities', session, (commands) => commands.identityIds(identities, most)),
    countIdentities,
    /** The number of identities, without waiting for a sync. */
    total: () => atOnce(async (commands) => (await commands.sizes()).identities),
    /** Identities with one of these roles, by id, without waiting for a sync. @param schemaIds undefined: of any */
    withRole: (roles: readonly string[], schemaIds: readonly string[] | undefined, most: number) =>
      atOnce((commands) => commands.identitiesWithRole(roles, schemaIds, most)),
    /** Some of the identities that may have one of these addresses, without waiting for a sync. */
    identitiesAt: (session: string, addresses: readonly string[]) =>
      atOnce((commands) => inQueue(session, () => commands.identitiesAt(addresses))),
    /** Up to 10 s old, except after a write made through this process. */
    numbers: () =>
      numbersCache.get('all', numbersNow, (parts) =>
        KINDS.every((kind) => parts[kind]?.complete ?? isNotConfigured(running?.changes.state(kind).failure)),
      ),
    /** Cached as long as `numbers`. */
    countPlaces: (session: string, sessions: SessionsQuery) =>
      placesCache.get(
        JSON.stringify(sessions),
        () => query('sessions', session, (commands) => commands.countPlaces(sessions)),
        ({ complete }) => complete,
      ),
    searchSessions: (session: string, sessions: SessionsQuery, size: number, after: Cursor | undefined) =>
      query('sessions', session, (commands) => commands.searchSessions(sessions, size, after)),
    sessionIds: (session: string, sessions: SessionsQuery, most: number) =>
      query('sessions', session, (commands) => commands.sessionIds(sessions, most)),
    /** Clients with these words in id, name or owner; without words all of them. */
    searchClients: (session: string, ...page: Parameters<IndexCommands['searchClients']>) =>
      search('clients', session, (commands) => commands.searchClients(...page)),
    readRows: rowsReader(() => {
      if (location.isOff) return undefined;
      running ??= begin();
      return running.commands;
    }),
    /** These rows no longer exist in the store. */
    removed: (kind: Kind, ids: readonly string[]) => running?.changes.removed(kind, ids),
    /** Updates the index after a write made through this process. */
    written: (record: WriteRecord) => running?.changes.written(record),
    /** Updates the index after identities were written in a batch. @param ids undefined if the response has none */
    batchWritten: (ids: readonly string[] | undefined) => running?.changes.batchWritten(ids),
    /** Seconds since the last full sync of each list began; none before the first query. @param at now */
    ages(at: number): Record<string, number> {
      const ages: Record<string, number> = {};
      for (const kind of KINDS) {
        const fullAt = running?.changes.state(kind).fullAt;
        if (fullAt !== undefined) ages[listName(kind)] = Math.max(0, at - fullAt) / 1000;
      }
      return ages;
    },
    async stop(): Promise<void> {
      clearInterval(running?.confirming);
      await running?.changes.stop();
      if (running !== undefined) await within(ENDING_MS, running.thread.stop());
    },
  };
}

type Matches = number | readonly unknown[] | { total: number | null };

/** The result of the first search that finds something, or else of the last. */
export async function firstFound<S, R extends { value: Matches }>(
  [search, ...others]: readonly S[],
  run: (search: S) => Promise<R>,
): Promise<R> {
  const found = await run(search as S);
  const { value } = found;
  const matches = typeof value === 'number' ? value : 'length' in value ? value.length : value.total;
  return matches === 0 && others.length > 0 ? firstFound(others, run) : found;
}

/** The texts of a token; undefined without one. @throws 400 `invalid_page_token` for another number, or other parts */
export function textsOfToken(token: string | undefined, count: number): string[] | undefined {
  if (token === undefined) return undefined;
  const parts = decodeToken(token);
  if (parts.length !== count || !parts.every((part) => typeof part === 'string'))
    throw new ApiError('invalid_page_token');
  return parts;
}
