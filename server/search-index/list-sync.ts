import { UpstreamFailure } from '../upstream/failure.ts';
import type { FullSync, Kind } from './database.ts';
import type { IndexSources } from './sources.ts';
import type { RemoteCommands } from './thread.ts';

/** What is known about a list. Times are milliseconds since the epoch. */
export interface SyncState extends Omit<FullSync, 'fullAt'> {
  /** When the last full sync began; undefined before the first has ended. */
  fullAt: number | undefined;
  /** When the first sync began; undefined before its first page. */
  partialAt: number | undefined;
  /** When the newest rows were last read, since then. */
  newestAt: number | undefined;
  /** When the full sync that is running began. */
  startedAt: number | undefined;
  failingSince: number | undefined;
  failure: UpstreamFailure | undefined;
  /** When the next full sync may begin, by the monotonic clock. */
  dueAt: number;
}

/** The state of a list before its first sync. */
export const unread = (): SyncState => ({
  fullAt: undefined,
  partialAt: undefined,
  newestAt: undefined,
  startedAt: undefined,
  failingSince: undefined,
  failure: undefined,
  fits: true,
  dueAt: Number.NEGATIVE_INFINITY,
});

/** Parsing this takes some 20 milliseconds. */
const PAGE_BYTES = 1024 * 1024;

/** More than 250 sessions take Kratos quadratic time, because of what it adds to each. */
export const PAGE_SIZES = { first: 50, least: 25, most: 250 };

/** Some releases of Hydra count pages in their cursor: with another size, clients would be skipped. */
const CLIENT_PAGE_SIZES: typeof PAGE_SIZES = { first: 250, least: 250, most: 250 };

/** How many rows to request next. Begins small, as nobody knows how large rows are, and never repeats what took too long. */
export function pageSize({ first, least, most }: typeof PAGE_SIZES) {
  let limit = most;
  let size = Math.min(first, most);
  return {
    get rows() {
      return size;
    },
    /** A page came: the next has a megabyte at most, if its rows are like these. */
    follow({ rows, bytes }: { rows: number; bytes: number }): void {
      if (rows > 0) size = Math.min(limit, Math.max(least, Math.floor((PAGE_BYTES * rows) / bytes)));
    },
    /** A page took too long. @returns false if a smaller one is not worth trying */
    halve(): boolean {
      if (size <= least) return false;
      limit = Math.max(Math.floor(size / 2), least);
      size = limit;
      return true;
    },
  };
}

/** A sync of a list, page by page. */
export interface ListSync {
  /**
   * Reads and indexes the next page. One that took too long is requested again by the next call, and so is one for which the
   * index had no room.
   */
  next(): Promise<{ isRead: boolean; fits: boolean; isOver: boolean }>;
}

/** If these pages of sessions are all new, the rest is left to the next full sync. */
const NEWEST_PAGES = 20;

/**
 * @param list.newest only the latest sessions, up to a page without anything new, and the people they belong to
 * @param list.number of the sync, which all its rows get
 */
export function listSync(
  { kind, newest, number }: { kind: Kind; newest: boolean; number: number },
  sources: Pick<IndexSources, 'page'>,
  writer: Pick<IndexWriter, 'put' | 'refreshUnknown'>,
): ListSync {
  const size = pageSize(kind === 'clients' ? CLIENT_PAGE_SIZES : PAGE_SIZES);
  let token: string | undefined;
  let pages = 0;

  return {
    async next() {
      try {
        const page = await writer.put(kind, () => sources.page(kind, size.rows, token), number);
        size.follow({ rows: page.ids.length, bytes: page.bytes });
        if (newest) await writer.refreshUnknown(page.people);
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

/** One request each; the others wait for the next time. */
const LOOKUPS = 20;

/**
 * Finds people who have just registered. Kratos lists people in no order, but messages latest first, and new people were
 * sent one or have a session. Recipients that are not in the index are looked up, once for each message.
 */
export function newestPeopleSync(
  index: Pick<RemoteCommands, 'unknownRecipients'>,
  sources: Pick<IndexSources, 'newestMessages' | 'byIdentifier'>,
  writer: Pick<IndexWriter, 'put'>,
): () => ListSync {
  let lookedUp = new Set<string>();

  return () => {
    /** The messages of each recipient. */
    let waiting: Map<string, string[]> | undefined;
    return {
      async next() {
        if (waiting === undefined) {
          const unknown = await index.unknownRecipients(await sources.newestMessages());
          lookedUp = new Set(unknown.map(({ id }) => id).filter((id) => lookedUp.has(id)));
          waiting = new Map();
          for (const { id, recipient } of unknown) {
            const ids = waiting.get(recipient) ?? [];
            if (lookedUp.has(id) || (ids.length === 0 && waiting.size >= LOOKUPS)) continue;
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

type Change = 'removed' | 'written';

/** Changes through us while a page is on its way: the page is older, and must not undo them. */
function changesDuringSync() {
  const pages = new Set<Map<string, Change>>();
  return {
    note(ids: readonly string[], change: Change): void {
      for (const changes of pages) for (const id of ids) changes.set(id, change);
    },
    /** @returns ends it, and returns which of these ids have changed since, by their last change */
    start(): (ids: readonly string[]) => Record<Change, string[]> {
      const changes = new Map<string, Change>();
      pages.add(changes);
      return (ids) => {
        pages.delete(changes);
        const changed = (change: Change): string[] => ids.filter((id) => changes.get(id) === change);
        return { removed: changed('removed'), written: changed('written') };
      };
    },
  };
}

/** What became of a page. */
interface PutPage {
  ids: readonly string[];
  /** False if the index is full. */
  fits: boolean;
  /** Whether the index had all of these sessions. */
  known: boolean;
  /** Whose sessions they are. */
  people: readonly string[];
}

export type IndexWriter = ReturnType<typeof indexWriter>;

/**
 * All writes to the index, by syncs and for what was changed through the service.
 * @param options.refresh reads rows again that were changed while an older version was on its way
 * @param options.onChange called after every write that is not of a sync
 */
export function indexWriter(options: {
  index: RemoteCommands;
  sources: Pick<IndexSources, 'placesOf' | 'marks'>;
  refresh: (kind: Kind, ids: readonly string[]) => void;
  onChange: () => void;
}) {
  const { index, sources, refresh, onChange } = options;
  let latest = 1;
  // For sessions by their ids and those of their people.
  const changes = { people: changesDuringSync(), sessions: changesDuringSync(), clients: changesDuringSync() };

  const PUT: Record<Kind, (text: string, number: number) => Promise<PutPage>> = {
    people: async (text, number) => ({
      ...(await index.putPeople(text, number, await sources.marks())),
      known: false,
      people: [],
    }),
    clients: async (text, number) => ({ ...(await index.putClients(text, number)), known: false, people: [] }),
    async sessions(text, number) {
      const listed = await index.readSessions(text);
      const places = await sources.placesOf(listed.map(({ address }) => address));
      const entries = listed.map(({ address: _, ...session }, at) => ({ ...session, place: places[at] }));
      const put = await index.putSessions(entries, number);
      return { ...put, ids: entries.map(({ id }) => id), people: entries.map(({ identityId }) => identityId) };
    },
  };

  return {
    /** The number of a new sync: rows that no later sync has put are gone at its end. */
    nextNumber(): number {
      latest += 1;
      return latest;
    },
    /** Earlier processes have used the numbers up to this one. */
    continueAfter(number: number): void {
      latest = Math.max(latest, number);
    },
    /**
     * Requests rows and puts them. What is changed through us in the meantime stays as it is.
     * @param request resolves to the JSON of a list
     * @param number of the sync; undefined for rows that are read on their own
     * @throws UpstreamFailure, IndexRefused, IndexUnavailable
     */
    async put<Page extends { text: string }>(kind: Kind, request: () => Promise<Page>, number?: number) {
      const changed = changes[kind].start();
      let ids: string[] = [];
      try {
        const page = await request();
        const put = await PUT[kind](page.text, number ?? latest);
        ids = [...put.ids, ...put.people];
        return { ...page, ...put };
      } finally {
        const { removed, written } = changed(ids);
        if (removed.length > 0) {
          if (kind === 'sessions') await Promise.all([index.endSessions(removed), index.removeSessionsOf(removed)]);
          else await index.remove(kind, removed);
        }
        if (written.length > 0) refresh(kind, written);
        if (number === undefined) onChange();
      }
    },
    /** Reads those of these people that are not in the index. */
    async refreshUnknown(people: readonly string[]): Promise<void> {
      const unknown = await index.unknownPeople([...new Set(people)].filter((id) => id !== ''));
      if (unknown.length > 0) refresh('people', unknown);
    },
    /** The store no longer has these. */
    async remove(kind: Kind, ids: readonly string[]): Promise<void> {
      changes[kind].note(ids, 'removed');
      if (kind === 'people') changes.sessions.note(ids, 'removed');
      await index.remove(kind, ids).finally(onChange);
    },
    /** It has ended; the store still lists it. */
    async endSession(id: string): Promise<void> {
      changes.sessions.note([id], 'removed');
      await index.endSessions([id]).finally(onChange);
    },
    /** The store has no session of this person. */
    async removeSessionsOf(person: string): Promise<void> {
      changes.sessions.note([person], 'removed');
      await index.removeSessionsOf([person]).finally(onChange);
    },
    /** These were changed: rows that are on their way may be older. */
    noteWritten: (kind: Kind, ids: readonly string[]) => changes[kind].note(ids, 'written'),
  };
}
