import type { Log } from '../log.ts';
import { type Kind, listName } from './database.ts';
import type { IndexSources } from './sources.ts';
import { IndexUnavailable, type RemoteCommands } from './thread.ts';

/** The `Link` header of the response repeats the ids; with more of them it would be too long. */
export const IDS_PER_REQUEST = 100;
const PER_REQUEST: Record<Kind, number> = { identities: IDS_PER_REQUEST, sessions: 1, clients: 1 };
/** If more rows than this are waiting, the next full sync reads them instead. */
const WAITING_MAX = 10_000;

/** What happened last to rows, by id. */
type Changes = Map<string, 'removed' | 'written'>;

interface IndexedPage {
  ids: readonly string[];
  /** False if the index is full. */
  fits: boolean;
  /** Of sessions only: whether the index had all of them, and the identities to whom they belong. */
  known?: boolean;
  identities?: readonly string[];
}

export type IndexWriter = ReturnType<typeof indexWriter>;

/**
 * Writes to the index, for syncs and after changes through the service, and re-reads rows that were changed.
 * @param options.giveUp called if rows cannot be read again: the next full sync has to read them
 * @param options.onChange called after every write, except by syncs
 */
export function indexWriter(options: {
  index: RemoteCommands;
  sources: Pick<IndexSources, 'byId' | 'placesOf' | 'marks'>;
  giveUp: () => void;
  onChange: () => void;
  log: Log;
}) {
  const { index, sources, giveUp, onChange, log } = options;
  let latest = 1;
  /**
   * For each page that is being read, the changes made in the meantime: the page may be older and must not undo them.
   * Changes of sessions are recorded by session id and by identity id.
   */
  const changesDuring = { identities: new Set<Changes>(), sessions: new Set<Changes>(), clients: new Set<Changes>() };
  /** Rows to read again. */
  const waiting = { identities: new Set<string>(), sessions: new Set<string>(), clients: new Set<string>() };
  const refreshing = new Map<Kind, Promise<void>>();

  function note(kind: Kind, ids: readonly string[], change: 'removed' | 'written'): void {
    for (const changes of changesDuring[kind]) for (const id of ids) changes.set(id, change);
  }

  async function putText(kind: Kind, text: string, number: number): Promise<IndexedPage> {
    if (kind === 'identities') return index.putIdentities(text, number, await sources.marks());
    if (kind === 'clients') return index.putClients(text, number);
    const listed = await index.readSessions(text);
    const places = await sources.placesOf(listed.map(({ address }) => address));
    const entries = listed.map(({ address: _, ...session }, at) => ({ ...session, place: places[at] }));
    const put = await index.putSessions(entries, number);
    return { ...put, ids: entries.map(({ id }) => id), identities: entries.map(({ identityId }) => identityId) };
  }

  /**
   * Requests rows and indexes them, without undoing changes that were made while they were being read.
   * @param request resolves to the JSON of a list
   * @param number the sync's; undefined for rows that are read outside of a sync
   * @throws UpstreamFailure, IndexRefused, IndexUnavailable
   */
  async function put<Page extends { text: string }>(kind: Kind, request: () => Promise<Page>, number?: number) {
    const changes: Changes = new Map();
    changesDuring[kind].add(changes);
    let ids: string[] = [];
    try {
      const page = await request();
      const indexed = await putText(kind, page.text, number ?? latest);
      ids = [...indexed.ids, ...(indexed.identities ?? [])];
      return { ...page, ...indexed };
    } finally {
      changesDuring[kind].delete(changes);
      const removed = ids.filter((id) => changes.get(id) === 'removed');
      const written = ids.filter((id) => changes.get(id) === 'written');
      if (removed.length > 0) {
        if (kind === 'sessions') await Promise.all([index.endSessions(removed), index.removeSessionsOf(removed)]);
        else await index.remove(kind, removed);
      }
      queueRefresh(kind, written);
      if (number === undefined) onChange();
    }
  }

  /** Removes rows that no longer exist in the store. */
  async function remove(kind: Kind, ids: readonly string[]): Promise<void> {
    note(kind, ids, 'removed');
    if (kind === 'identities') note('sessions', ids, 'removed');
    await index.remove(kind, ids).finally(onChange);
  }

  /** Queues rows to be read again, with one request at a time for each list. */
  function queueRefresh(kind: Kind, ids: readonly string[]): void {
    const all = waiting[kind];
    if (all.size + ids.length > WAITING_MAX) giveUp();
    else for (const id of ids) all.add(id);
    if (all.size === 0 || refreshing.has(kind)) return;
    const done = refreshWaiting(kind)
      .catch((error) => {
        all.clear();
        giveUp();
        // Without a worker there is no index: the next one reads everything.
        if (!(error instanceof IndexUnavailable))
          log.warn({ error, list: listName(kind) }, 'written rows could not be read again for the index');
      })
      .finally(() => {
        refreshing.delete(kind);
        // More may have been added since.
        queueRefresh(kind, []);
      });
    refreshing.set(kind, done);
  }

  async function refreshWaiting(kind: Kind): Promise<void> {
    const all = waiting[kind];
    while (all.size > 0) {
      const ids = [...all].slice(0, PER_REQUEST[kind]);
      for (const id of ids) all.delete(id);
      const found = new Set((await put(kind, async () => ({ text: await sources.byId(kind, ids) }))).ids);
      const gone = ids.filter((id) => !found.has(id));
      if (gone.length > 0) await remove(kind, gone);
    }
  }

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
    put,
    remove,
    /** Reads rows again that were changed. */
    refresh(kind: Kind, ids: readonly string[]): void {
      note(kind, ids, 'written');
      queueRefresh(kind, ids);
    },
    /** Reads the identities that are not in the index yet. */
    async refreshUnknown(identities: readonly string[]): Promise<void> {
      queueRefresh('identities', await index.unknownIdentities([...new Set(identities)].filter((id) => id !== '')));
    },
    /** Marks a session as ended; the store still lists it. */
    async endSession(id: string): Promise<void> {
      note('sessions', [id], 'removed');
      await index.endSessions([id]).finally(onChange);
    },
    async removeSessionsOf(identity: string): Promise<void> {
      note('sessions', [identity], 'removed');
      await index.removeSessionsOf([identity]).finally(onChange);
    },
    /** Resolves when all rows that were changed have been read again. */
    settled: () => Promise.all(refreshing.values()),
  };
}
