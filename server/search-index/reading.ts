import type { Log } from '../log.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import { type ListedPerson, listedPeople, type RowFilter } from './people-search.ts';
import type { IndexSources, Kind } from './sources.ts';
import { IndexRefused, type IndexThread, IndexUnavailable } from './thread.ts';
import type { IndexWriter } from './writer.ts';

/** How the store is read. Times in milliseconds, by the monotonic clock. */
export const PACE = {
  /** Between the end of a pass and the next; and if that is brought forward. */
  apartMs: 15 * 60_000,
  broughtForwardMs: 60_000,
  /** Nothing is read while nobody has asked for so long. */
  forgottenMs: 60 * 60_000,
  retryMs: 30_000,
  /** A process that dies holds it for so long; it is renewed after each page and, in pauses, so often. */
  leaseSeconds: 60,
  renewMs: 20_000,
  /** Waited after each page, by the time the page took: half of the store's time, later a tenth. */
  firstPause: 1,
  laterPause: 9,
  /** How often the newest sessions and people are read, if somebody has asked so lately; and on request. */
  newestMs: 30_000,
  newestOnRequestMs: 5_000,
  lookingMs: 120_000,
};

/** How many items to ask for in the next page of one list. */
export interface PageSize {
  readonly items: number;
  /** A page came: the next holds a megabyte at most, if its items are like these. */
  follow(page: { items: number; bytes: number }): void;
  /** A page took too long. @returns false if a smaller one is not worth trying */
  halve(): boolean;
}

/** Parsing this takes some 20 milliseconds. */
const PAGE_BYTES = 1024 * 1024;

export interface PageSizeLimits {
  first: number;
  least: number;
  most: number;
}

/** More than 250 cost Kratos the square of them, with what it adds to each session. */
export const PAGE_SIZES: PageSizeLimits = { first: 50, least: 25, most: 250 };

/** Some releases of Hydra count pages in their cursor: another size would pass clients over. */
export const CLIENT_PAGE_SIZES: PageSizeLimits = { first: 250, least: 250, most: 250 };

/** Begins small, as nobody knows how large the items are; what has taken too long is not asked for again. */
export function pageSize({ first, least, most }: PageSizeLimits): PageSize {
  let limit = most;
  let size = Math.min(first, most);
  return {
    get items() {
      return size;
    },
    follow({ items, bytes }) {
      if (items === 0) return;
      const fitting = Math.floor((PAGE_BYTES * items) / bytes);
      size = Math.min(limit, Math.max(least, fitting));
    },
    halve() {
      if (size <= least) return false;
      limit = Math.max(Math.floor(size / 2), least);
      size = limit;
      return true;
    },
  };
}

/** Of a list that is read page by page. */
export interface ListReading {
  /** Reads and puts the next page; one that took too long, or that had no room, is asked for again by the next call. */
  next(): Promise<{
    /** False where it took too long. */
    isRead: boolean;
    /** False if the index is full. */
    fits: boolean;
    isOver: boolean;
  }>;
}

/** If even these pages of sessions are all new, the rest is left to the next pass. */
const NEWEST_PAGES = 20;

/**
 * @param list.newest of sessions: only the latest, up to a page that holds nothing new, and whose they are
 * @param list.pass the number that all of it is put with
 */
export function listReading(
  { kind, newest, pass }: { kind: Kind; newest: boolean; pass: number },
  sources: Pick<IndexSources, 'page'>,
  writer: Pick<IndexWriter, 'put' | 'readUnknown'>,
): ListReading {
  const size = pageSize(kind === 'clients' ? CLIENT_PAGE_SIZES : PAGE_SIZES);
  let token: string | undefined;
  let pages = 0;

  return {
    async next() {
      try {
        const page = await writer.put(kind, () => sources.page(kind, size.items, token), pass);
        size.follow({ items: page.ids.length, bytes: page.bytes });
        if (newest) await writer.readUnknown(page.of ?? []);
        if (!page.fits) return { isRead: true, fits: false, isOver: true };
        token = page.nextPageToken;
        pages += 1;
        const isEnough = newest && (page.known || pages >= NEWEST_PAGES);
        return { isRead: true, fits: true, isOver: token === undefined || isEnough };
      } catch (error) {
        if (error instanceof UpstreamFailure && error.kind === 'timeout' && size.halve())
          return { isRead: false, fits: true, isOver: false };
        throw error;
      }
    },
  };
}

/** One question each: the rest waits for the next time. */
const LOOKED_UP_AT_ONCE = 20;

/**
 * Finds who has registered a moment ago: Kratos lists people in no order, but the latest messages first, and whoever has
 * registered was sent one or has a session. Recipients whom the index does not know are looked up, each message's once.
 */
export function newestPeople(
  index: Pick<IndexThread, 'unknownRecipients'>,
  sources: Pick<IndexSources, 'newestMessages' | 'byIdentifier'>,
  writer: Pick<IndexWriter, 'put'>,
): () => ListReading {
  let lookedUp = new Set<string>();

  return () => {
    let waiting: Map<string, string[]> | undefined;
    return {
      async next() {
        if (waiting === undefined) {
          const unknown = await index.unknownRecipients(await sources.newestMessages());
          lookedUp = new Set(unknown.map(({ id }) => id).filter((id) => lookedUp.has(id)));
          waiting = new Map();
          for (const { id, recipient } of unknown) {
            const ids = waiting.get(recipient) ?? [];
            if (lookedUp.has(id) || (ids.length === 0 && waiting.size >= LOOKED_UP_AT_ONCE)) continue;
            waiting.set(recipient, [...ids, id]);
          }
        } else {
          const [[recipient, ids] = ['', []]] = waiting;
          waiting.delete(recipient);
          await writer.put('people', async () => ({ text: await sources.byIdentifier(recipient) }));
          for (const id of ids) lookedUp.add(id);
        }
        return { isRead: true, fits: true, isOver: waiting.size === 0 };
      },
    };
  };
}

/** What is known of a list. Times are milliseconds since the epoch. */
export interface Reading {
  /** When the last whole reading began; undefined before the first has ended. */
  wholeAt: number | undefined;
  /** When the reading began that what is known is a part of; undefined before its first page. */
  partAt: number | undefined;
  /** When the newest were last read, after that. */
  newestAt: number | undefined;
  /** When the reading that is under way began. */
  begunAt: number | undefined;
  /** Since when reading fails, and how. */
  failingSince: number | undefined;
  failure: UpstreamFailure | undefined;
  /** Whether the index had room for all of it. */
  fits: boolean;
  /** When it may be read again, by the monotonic clock. */
  dueAt: number;
}

/** A list of which nothing is known. */
export const nothing = (): Reading => ({
  wholeAt: undefined,
  partAt: undefined,
  newestAt: undefined,
  begunAt: undefined,
  failingSince: undefined,
  failure: undefined,
  fits: true,
  dueAt: Number.NEGATIVE_INFINITY,
});

/** Reads the rows of a page. @throws UpstreamFailure for what is no page of identities */
export type ReadRows = (page: string, filter: RowFilter) => Promise<ListedPerson[]>;

/** Parsing this takes some milliseconds, in which no other request goes on. */
const PARSED_HERE = 256 * 1024;

/** Large pages are parsed by the worker, if there is one. */
export const rowsReader =
  (ask: () => Pick<IndexThread, 'listedPeople'> | undefined): ReadRows =>
  async (page, filter) => {
    try {
      const thread = page.length <= PARSED_HERE ? undefined : ask();
      if (thread === undefined) return listedPeople(page, filter);
      return await thread.listedPeople(page, filter).catch((error) => {
        if (error instanceof IndexUnavailable) return listedPeople(page, filter);
        throw error;
      });
    } catch (error) {
      // Without the parser's error as a cause: its message quotes the response.
      if (error instanceof SyntaxError || error instanceof IndexRefused) throw new UpstreamFailure('nonsense');
      throw error;
    }
  };

/** More ids would make a `Link` header that is too long: it repeats them. */
export const IDS_A_CALL = 100;
const A_CALL: Record<Kind, number> = { people: IDS_A_CALL, sessions: 1, clients: 1 };
/** More than these are read with everybody else. */
const WAITING = 10_000;

export interface Rereading {
  /** Reads these again, soon. */
  reread(kind: Kind, ids: readonly string[]): void;
  /** Resolves when nothing waits to be read again; undefined if nothing does. */
  settled(): Promise<unknown> | undefined;
}

/**
 * Reads again what was written through this service: one call at a time for each list.
 * @param leave called where that is not possible: the next pass has to do it
 */
export function rereading(options: {
  read: IndexSources['byId'];
  writer: Pick<IndexWriter, 'put' | 'remove'>;
  leave: () => void;
  log: Log;
}): Rereading {
  const { read, writer, leave, log } = options;
  const waiting: Record<Kind, Set<string>> = { people: new Set(), sessions: new Set(), clients: new Set() };
  const running = new Map<Kind, Promise<void>>();

  async function readAll(kind: Kind): Promise<void> {
    const all = waiting[kind];
    while (all.size > 0) {
      const ids = [...all].slice(0, A_CALL[kind]);
      for (const id of ids) all.delete(id);
      const found = new Set((await writer.put(kind, async () => ({ text: await read(kind, ids) }))).ids);
      const gone = ids.filter((id) => !found.has(id));
      if (gone.length > 0) await writer.remove(kind, gone);
    }
  }

  function failed(kind: Kind, error: unknown): void {
    waiting[kind].clear();
    leave();
    // Without the worker there is no index any more, and all of it is read anew.
    if (!(error instanceof IndexUnavailable))
      log.warn({ error, list: kind }, 'what was written could not be read again for the index');
  }

  function begin(kind: Kind): void {
    if (running.has(kind) || waiting[kind].size === 0) return;
    const done = readAll(kind)
      .catch((error) => failed(kind, error))
      .finally(() => {
        running.delete(kind);
        begin(kind);
      });
    running.set(kind, done);
  }

  return {
    reread(kind, ids) {
      if (waiting[kind].size + ids.length > WAITING) {
        leave();
        return;
      }
      for (const id of ids) waiting[kind].add(id);
      begin(kind);
    },
    settled: () => (running.size === 0 ? undefined : Promise.all(running.values())),
  };
}
