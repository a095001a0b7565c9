import { pageWalk } from '../../shared/page-walk.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import type { Kind } from './database.ts';
import type { IndexSources } from './sources.ts';
import type { RemoteCommands } from './thread.ts';

/** The state of a list before its first sync. Times are milliseconds since the epoch. */
export const unread = () => ({
  /** When the last full sync began; undefined before the first has ended. */
  fullAt: undefined as number | undefined,
  /** When the first sync began; undefined before its first page. */
  partialAt: undefined as number | undefined,
  /** When the newest rows were last read after that. */
  newestAt: undefined as number | undefined,
  /** When the full sync that is running began. */
  startedAt: undefined as number | undefined,
  failingSince: undefined as number | undefined,
  failure: undefined as UpstreamFailure | undefined,
  /** Whether a sync since the last full one has found that the list does not end. */
  isEndless: false,
  /** Whether the index had room for the whole list. */
  fits: true,
  /** When the next full sync may begin, by the monotonic clock. */
  dueAt: Number.NEGATIVE_INFINITY,
});
export type SyncState = ReturnType<typeof unread>;

/** The target size of a page: parsing it takes about 20 milliseconds. */
const PAGE_BYTES = 1024 * 1024;

/** Kratos' time for a page of expanded sessions grows quadratically, so 250 is the maximum. */
export const PAGE_SIZES = { first: 50, least: 25, most: 250 };

/** Some releases of Hydra use page numbers as cursors: if the size changed, clients would be skipped. */
const CLIENT_PAGE_SIZES: typeof PAGE_SIZES = { first: 250, least: 250, most: 250 };

/** How many rows to request next. Starts small, since rows may be large, and never returns to a size that timed out. */
export function pageSize({ first, least, most }: typeof PAGE_SIZES) {
  let limit = most;
  let size = Math.min(first, most);
  return {
    get rows() {
      return size;
    },
    /** Called after a page: aims at a megabyte for the next one, assuming that its rows are as large. */
    follow({ rows, bytes }: { rows: number; bytes: number }): void {
      if (rows > 0) size = Math.min(limit, Math.max(least, Math.floor((PAGE_BYTES * rows) / bytes)));
    },
    /** Called after a timeout. @returns false if the page cannot be smaller */
    halve(): boolean {
      if (size <= least) return false;
      limit = Math.max(Math.floor(size / 2), least);
      size = limit;
      return true;
    },
  };
}

export type ListSync = ReturnType<typeof listSync>;

/** After this many pages of new sessions, the rest is left to the next full sync. */
const NEWEST_PAGES = 20;

/**
 * @param list.newest reads only the latest sessions, up to a page without new ones, and their people
 * @param list.number the number of the sync, stored with its rows
 * @param list.pages the maximum number of pages
 */
export function listSync(
  { kind, newest, number, pages }: { kind: Kind; newest: boolean; number: number; pages: number },
  sources: Pick<IndexSources, 'page'>,
  writer: Pick<IndexWriter, 'put' | 'refreshUnknown'>,
) {
  const size = pageSize(kind === 'clients' ? CLIENT_PAGE_SIZES : PAGE_SIZES);
  const walk = pageWalk(pages);
  let read = 0;

  return {
    /**
     * Reads and indexes the next page. If it timed out or the index had no room, the next call requests it again.
     * @throws EndlessList, UpstreamFailure, IndexRefused, IndexUnavailable
     */
    async next() {
      try {
        const page = await writer.put(kind, () => sources.page(kind, size.rows, walk.token), number);
        size.follow({ rows: page.ids.length, bytes: page.bytes });
        if (newest) await writer.refreshUnknown(page.people);
        // A full index lacks nothing of a page of newest rows that it has.
        if (!page.fits) return { isRead: true, fits: newest && page.known, isOver: true };
        read += 1;
        const isEnough = newest && (page.known || read >= NEWEST_PAGES);
        return { isRead: true, fits: true, isOver: isEnough || !walk.next(page.ids.length, page.nextPageToken) };
      } catch (error) {
        if (error instanceof UpstreamFailure && error.kind === 'timeout' && size.halve())
          return { isRead: false, fits: true, isOver: false };
        throw error;
      }
    },
  };
}

/** The maximum number of lookups per sync, one request each; other recipients wait for the next sync. */
const LOOKUPS = 20;

/**
 * Finds people who have just registered. Kratos lists people in no order, but messages newest first, and new people
 * were usually sent a message or have a session. Looks up recipients that are not in the index, once for each message.
 */
export function newestPeopleSync(
  index: Pick<RemoteCommands, 'unknownRecipients'>,
  sources: Pick<IndexSources, 'newestMessages' | 'byIdentifier'>,
  writer: Pick<IndexWriter, 'put'>,
): () => ListSync {
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

/**
 * Records changes made through this replica while a page is being read: the page may be older and must not undo them.
 */
function changesDuringSync() {
  const pages = new Set<Map<string, Change>>();
  return {
    note(ids: readonly string[], change: Change): void {
      for (const changes of pages) for (const id of ids) changes.set(id, change);
    },
    /** @returns a function that stops recording, and returns which of these ids were changed, by their last change */
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

interface PutPage {
  ids: readonly string[];
  /** False if the index is full. */
  fits: boolean;
  /** Whether the index had all of these sessions. */
  known: boolean;
  /** The people to whom the sessions belong. */
  people: readonly string[];
}

export type IndexWriter = ReturnType<typeof indexWriter>;

/**
 * Writes to the index, for syncs and after changes through the service.
 * @param options.refresh re-reads rows that were changed while a page with an older version was being read
 * @param options.onChange called after every write, except by syncs
 */
export function indexWriter(options: {
  index: RemoteCommands;
  sources: Pick<IndexSources, 'placesOf' | 'marks'>;
  refresh: (kind: Kind, ids: readonly string[]) => void;
  onChange: () => void;
}) {
  const { index, sources, refresh, onChange } = options;
  let latest = 1;
  // Changes of sessions are recorded by session id and by person id.
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
    /** The number of a new sync. When it ends, rows with lower numbers are deleted. */
    nextNumber(): number {
      latest += 1;
      return latest;
    },
    /** Continues after the numbers that earlier processes used. */
    continueAfter(number: number): void {
      latest = Math.max(latest, number);
    },
    /**
     * Requests rows and indexes them, without undoing changes that were made while they were being read.
     * @param request resolves to the JSON of a list
     * @param number the sync's; undefined for rows that are read outside of a sync
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
    /** Reads the people who are not in the index yet. */
    async refreshUnknown(people: readonly string[]): Promise<void> {
      const unknown = await index.unknownPeople([...new Set(people)].filter((id) => id !== ''));
      if (unknown.length > 0) refresh('people', unknown);
    },
    /** Removes rows that no longer exist in the store. */
    async remove(kind: Kind, ids: readonly string[]): Promise<void> {
      changes[kind].note(ids, 'removed');
      if (kind === 'people') changes.sessions.note(ids, 'removed');
      await index.remove(kind, ids).finally(onChange);
    },
    /** Marks a session as ended; the store still lists it. */
    async endSession(id: string): Promise<void> {
      changes.sessions.note([id], 'removed');
      await index.endSessions([id]).finally(onChange);
    },
    async removeSessionsOf(person: string): Promise<void> {
      changes.sessions.note([person], 'removed');
      await index.removeSessionsOf([person]).finally(onChange);
    },
    /** Records that rows were changed: versions that are being read may be older. */
    noteWritten: (kind: Kind, ids: readonly string[]) => changes[kind].note(ids, 'written'),
  };
}
