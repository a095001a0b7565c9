import type { IndexSources, Kind } from './sources.ts';
import type { IndexThread } from './thread.ts';

/** How something was changed through us: it is gone, or has to be read again. */
export type Change = 'removed' | 'written';

/** What is changed while a page of a list is on its way: the page is older, and must not undo it. */
export interface Meanwhile {
  note(id: string, change: Change): void;
  /** From here on. @returns ends it, and says which of these ids were changed, each as it was last */
  watch(): (ids: readonly string[]) => Record<Change, string[]>;
}

export function meanwhile(): Meanwhile {
  const watched = new Set<Map<string, Change>>();
  return {
    note(id, change) {
      for (const changes of watched) changes.set(id, change);
    },
    watch() {
      const changes = new Map<string, Change>();
      watched.add(changes);
      return (ids) => {
        watched.delete(changes);
        const changed = (change: Change): string[] =>
          changes.size === 0 ? [] : ids.filter((id) => changes.get(id) === change);
        return { removed: changed('removed'), written: changed('written') };
      };
    },
  };
}

/** What became of a page. */
export interface Written {
  ids: readonly string[];
  /** False if the index is full. */
  fits: boolean;
  /** Of sessions: whether all of them were there before, and whose they are. */
  known: boolean;
  of?: readonly string[];
}

/** All that is written to the index: by passes, and about what was changed through the service. */
export interface IndexWriter {
  /** A new pass: what is not put with its number, or a later one, is gone at its end. */
  beginPass(): number;
  /** So many passes were begun before this process. */
  passesUpTo(pass: number): void;
  /**
   * Asks the store for some rows and puts them. What is changed through us while they are on their way stays as it is.
   * @param ask the JSON of a list
   * @param pass whose page it is; without one, rows that were read by themselves
   * @throws UpstreamFailure, IndexRefused, IndexUnavailable
   */
  put<Page extends { text: string }>(kind: Kind, ask: () => Promise<Page>, pass?: number): Promise<Written & Page>;
  /** Reads those of these people that the index does not know. */
  readUnknown(people: readonly string[]): Promise<void>;
  /** These are gone from the store. */
  remove(kind: Kind, ids: readonly string[]): Promise<void>;
  /** This session has ended; the store still lists it. */
  endSession(id: string): Promise<void>;
  /** The store has no session of this person. */
  endSessionsOf(person: string): Promise<void>;
  /** This was changed: rows that are on their way may be older. */
  noteWritten(kind: Kind, id: string): void;
}

/**
 * @param reread asks the store again for what was changed while an older row was on its way
 * @param onChange called after every write that is not of a pass
 */
export function indexWriter(options: {
  index: IndexThread;
  sources: Pick<IndexSources, 'placesOf' | 'marks'>;
  reread: (kind: Kind, ids: readonly string[]) => void;
  onChange: () => void;
}): IndexWriter {
  const { index, sources, reread, onChange } = options;
  let latest = 1;
  // Of sessions, also by the person they belong to.
  const changes = { people: meanwhile(), sessions: meanwhile(), clients: meanwhile() };
  const note = (kind: Kind, ids: readonly string[], change: Change): void => {
    for (const id of ids) changes[kind].note(id, change);
  };

  const PUT: Record<Kind, (text: string, pass: number) => Promise<Written>> = {
    people: async (text, pass) => ({
      ...(await index.putPeople(text, pass, await sources.marks())),
      known: false,
    }),
    clients: async (text, pass) => ({ ...(await index.putClients(text, pass)), known: false }),
    async sessions(text, pass) {
      const listed = await index.readSessions(text);
      const places = await sources.placesOf(listed.map(({ address }) => address));
      const entries = listed.map(({ address: _, ...session }, at) => ({ ...session, place: places[at] }));
      const ids = entries.map(({ id }) => id);
      return { ids, of: entries.map(({ identityId }) => identityId), ...(await index.putSessions(entries, pass)) };
    },
  };

  const REMOVE: Record<Kind, (ids: readonly string[]) => Promise<unknown>> = {
    people: (ids) => Promise.all([index.removePeople(ids), index.removeSessionsOf(ids)]),
    sessions: (ids) => index.removeSessions(ids),
    clients: (ids) => index.removeClients(ids),
  };
  const end = (ids: readonly string[]): Promise<unknown> =>
    Promise.all([index.endSessions(ids), index.removeSessionsOf(ids)]);

  return {
    beginPass() {
      latest += 1;
      return latest;
    },
    passesUpTo(pass) {
      latest = Math.max(latest, pass);
    },
    async put(kind, ask, pass) {
      const changed = changes[kind].watch();
      let put: string[] = [];
      try {
        const page = await ask();
        const written = await PUT[kind](page.text, pass ?? latest);
        put = [...written.ids, ...(written.of ?? [])];
        return { ...page, ...written };
      } finally {
        const { removed, written } = changed(put);
        if (removed.length > 0) await (kind === 'sessions' ? end(removed) : REMOVE[kind](removed));
        if (written.length > 0) reread(kind, written);
        if (pass === undefined) onChange();
      }
    },
    async readUnknown(people) {
      const unknown = await index.unknownPeople([...new Set(people)].filter((id) => id !== ''));
      if (unknown.length > 0) reread('people', unknown);
    },
    async remove(kind, ids) {
      note(kind, ids, 'removed');
      if (kind === 'people') note('sessions', ids, 'removed');
      await REMOVE[kind](ids).finally(onChange);
    },
    async endSession(id) {
      note('sessions', [id], 'removed');
      await index.endSessions([id]).finally(onChange);
    },
    async endSessionsOf(person) {
      note('sessions', [person], 'removed');
      await index.removeSessionsOf([person]).finally(onChange);
    },
    noteWritten: (kind, id) => note(kind, [id], 'written'),
  };
}
