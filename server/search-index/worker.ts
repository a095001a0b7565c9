import { parentPort, workerData } from 'node:worker_threads';
import { identityEntry } from '../../shared/identity-entry.ts';
import type { MarksBySchema } from '../../shared/identity-name.ts';
import { wordsOf } from '../../shared/text.ts';
import { clientEntry, clientsTable } from './clients.ts';
import {
  type Cursor,
  type FullSync,
  hasNoRoom,
  type IndexDatabase,
  indexFacts,
  isLost,
  type Kind,
  type SavedSyncs,
  sizeOf,
  timeLimit,
} from './database.ts';
import { type IndexLocation, openIndex } from './file.ts';
import { type IdentitiesQuery, identitiesTable, type Order } from './identities.ts';
import { listedSession, type SessionEntry, type SessionsQuery, sessionsTable } from './sessions.ts';
import { entriesOf, listedIdentities, messageEntry } from './sources.ts';

/** A search counts its matches up to this number. */
const COUNTED_MAX = 10_000;

export type IndexCommands = ReturnType<typeof indexCommands>;

/**
 * The commands of the worker. Each blocks it; arguments and results are cloned between threads. Searches throw
 * `SearchTooLong`; commands that parse a page throw a SyntaxError if it is invalid.
 */
export function indexCommands(database: IndexDatabase, monotonic: () => number = () => performance.now()) {
  const limited = timeLimit(database, monotonic);
  const identities = identitiesTable(database, limited);
  const sessions = sessionsTable(database, limited);
  const clients = clientsTable(database, limited);
  const tables = { identities, sessions, clients };
  const facts = indexFacts(database);
  const totalChanges = database.prepare('select total_changes()').pluck();
  const merge = database.prepare("insert into texts (texts, rank) values ('merge', ?)");
  let savedNumber = facts.savedSyncs().sync;
  /** Lists with rows that could not be removed for lack of room. */
  const unclean = new Set<Kind>();

  /** @returns undefined if there is no room */
  function ifRoom<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (hasNoRoom(error)) return undefined;
      throw error;
    }
  }
  /** Saves the number of a sync before any row has it: the next process must not use it again. */
  const put = (sync: number, write: () => boolean): boolean =>
    ifRoom(() => {
      if (sync > savedNumber) facts.saveSyncNumber(sync);
      savedNumber = Math.max(sync, savedNumber);
      return write();
    }) ?? false;

  return {
    /**
     * Puts a page of identities.
     * @param page JSON as the store sent it
     * @param marks which traits identify people
     * @returns `fits`: false if the index is full
     */
    putIdentities(page: string, sync: number, marks?: MarksBySchema) {
      const found = entriesOf(page, (row) => identityEntry(row, marks));
      return { ids: found.map(({ id }) => id), fits: put(sync, () => identities.put(found, sync)) };
    },
    putClients(page: string, sync: number) {
      const found = entriesOf(page, clientEntry);
      return { ids: found.map(({ id }) => id), fits: put(sync, () => clients.put(found, sync)) };
    },
    readSessions: (page: string) => entriesOf(page, listedSession),
    /** @returns `known`: whether the index had all of them */
    putSessions(found: readonly SessionEntry[], sync: number) {
      const known = sessions.hasAll(found.map(({ id }) => id));
      return { known, fits: put(sync, () => sessions.put(found, sync)) };
    },
    unknownIdentities: identities.unknown,
    /** The messages of a page whose recipient is not an identifier or address of any indexed identity. */
    unknownRecipients: (page: string) =>
      entriesOf(page, messageEntry).filter(({ recipient }) => {
        const [word] = wordsOf([recipient]);
        return word !== undefined && identities.withWord(word).length === 0;
      }),
    /** Some of the identities with one of these addresses, or with a trait that looks like one. */
    identitiesAt: (addresses: readonly string[]): string[] => [
      ...new Set(addresses.flatMap((address) => wordsOf([address]).slice(0, 1).flatMap(identities.withWord))),
    ],
    /** Removes rows, and the sessions of identities. */
    remove(kind: Kind, ids: readonly string[]): void {
      tables[kind].remove(ids);
      if (kind === 'identities') sessions.removeOf(ids);
    },
    endSessions: sessions.end,
    removeSessionsOf: sessions.removeOf,
    /**
     * Removes rows that this finished sync did not see, one batch per call, so that queries can run in between.
     * @param after the result of the previous batch, 0 for the first
     * @returns undefined after the last batch
     */
    removeUnseen(kind: Kind, sync: number, after: number): number | undefined {
      const batch = ifRoom(() => ({ after: tables[kind].removeBefore(sync, after) }));
      if (batch === undefined) unclean.add(kind);
      return batch?.after;
    },
    /**
     * Merges small segments of the full-text index, which slow down every search.
     * @param pages how many to write; negative to start merging everything into one segment
     * @returns whether more can be merged
     */
    mergeTexts: (pages: number): boolean =>
      ifRoom(() => {
        const before = totalChanges.get() as number;
        merge.run(pages);
        // SQLite documents that a difference below 2 means nothing was merged.
        return (totalChanges.get() as number) - before > 1;
      }) ?? false,
    /** Ends a full sync. @returns whether the index matches the list: nothing is missing, and no deleted row is left */
    saveFullSync(kind: Kind, { fullAt, fits }: FullSync): boolean {
      const isClean = !unclean.delete(kind);
      const isComplete = isClean && fits;
      return (
        ifRoom(() => {
          facts.saveFullSync(kind, { fullAt, fits: isComplete });
          if (kind === 'identities' && isClean) facts.confirm(fullAt);
          return isComplete;
        }) ?? false
      );
    },
    savedSyncs: facts.savedSyncs,
    /** Milliseconds since the epoch; undefined while the index is empty. */
    unconfirmedSince: () =>
      identities.size() + sessions.size() + clients.size() > 0 ? facts.unconfirmedSince() : undefined,
    /** @returns `total`: null if more than 10,000 match; then use `countIdentities` */
    searchIdentities(query: IdentitiesQuery, order: Order, size: number, after: Cursor | undefined) {
      return limited(() => {
        const page = identities.page(query, order, size, after);
        const count = identities.count(query, COUNTED_MAX + 1);
        return { ...page, total: count <= COUNTED_MAX ? count : null };
      });
    },
    identityIds: identities.ids,
    countIdentities: (query: IdentitiesQuery) => identities.count(query),
    identitiesWithRole: identities.withRole,
    searchSessions: sessions.page,
    sessionIds: sessions.ids,
    countPlaces: (query: SessionsQuery) => sessions.places(query),
    searchClients: clients.page,
    numbers: (at: number) => ({
      identities: identities.numbers(),
      sessions: sessions.numbers(at),
      clients: clients.numbers(),
    }),
    listedIdentities,
    sizes: () => ({
      identities: identities.size(),
      sessions: sessions.size(),
      clients: clients.size(),
      bytes: sizeOf(database),
    }),
  };
}

export interface IndexWorkerData {
  location: IndexLocation;
  now: number;
  /** Whether to discard the contents of the file. */
  empty: boolean;
}

export interface Command {
  number: number;
  name: keyof IndexCommands;
  args: unknown[];
}

export type CommandResult = { number: number } & ({ result: unknown } | { error: { name: string; message: string } });

export interface OpenedIndex {
  saved: SavedSyncs;
  /** Why the file is not used. */
  problem: string | undefined;
}

/** The first message says that the database is open, the last that it was lost. */
export type WorkerMessage = CommandResult | { opened: OpenedIndex } | { lost: string };

// Runs in a thread of its own, since parsing a million identities or sorting half of them would block every request.
if (parentPort !== null) {
  const port = parentPort;
  const post = (message: WorkerMessage): void => port.postMessage(message);
  const { location, now, empty } = workerData as IndexWorkerData;
  const { database, problem } = openIndex(location, { now, empty });
  const commands = indexCommands(database);
  post({ opened: { saved: commands.savedSyncs(), problem } });

  port.on('message', ({ number, name, args }: Command) => {
    try {
      post({ number, result: (commands[name] as (...args: unknown[]) => unknown)(...args) });
    } catch (error) {
      // The error's message is dropped, since a parser or SQLite may quote personal data in it.
      const { name: kind, code = '' } = error as { name: string; code?: string };
      if (!isLost(error)) return post({ number, error: { name: kind, message: String(code) } });
      post({ lost: String(code) });
      database.close();
      port.close();
    }
  });
}
