import { personEntry } from '../../shared/identities.ts';
import type { MarksBySchema } from '../../shared/identity-name.ts';
import { questionWords, wordsOf } from '../../shared/text.ts';
import { clientsIndex, type FoundClients } from './clients.ts';
import { hasNoRoom, type IndexDatabase, sizeOf, TooLong, timeLimit } from './database.ts';
import { clientEntry, entriesOf, type ListedSession, listedSession, type Message, messageEntry } from './entries.ts';
import { indexFacts, type KeptReadings } from './file.ts';
import type { Order, Place, Quarters, Question } from './full-text.ts';
import { type PeopleNumbers, type PersonWithRole, peopleIndex } from './people.ts';
import { type FoundPeople, type ListedPerson, listedPeople, peopleSearch, type RowFilter } from './people-search.ts';
import {
  type FoundSessions,
  type PlaceCounts,
  type SessionEntry,
  type SessionQuestion,
  sessionSearch,
  sessionsIndex,
} from './sessions.ts';

/** How long a question may take. */
export const QUESTION_MS = 2_000;
/** Up to here a search counts its matches itself. */
const COUNTED = 10_000;

/** A question as it was typed. */
export interface Asked extends Omit<Question, 'words'> {
  text?: string | undefined;
}

export interface AskedSessions extends Omit<SessionQuestion, 'place' | 'device' | 'person'> {
  place?: string | undefined;
  device?: string | undefined;
  person?: string | undefined;
}

export interface FoundPage extends FoundPeople {
  /** Null where more than 10,000 match: counting them is a question of its own. */
  total: number | null;
}

/** What was in a page that was put. */
export interface PutPage {
  ids: string[];
  fits: boolean;
}

export interface IndexNumbers {
  people: PeopleNumbers;
  sessions: { sessions: number; active: number; since: number; quarters: Quarters };
  clients: { clients: number; byGrant: { grant: string; count: number }[] };
}

/** What the worker does, each in one turn. Arguments and results are cloned between threads. */
export interface IndexCommands {
  /**
   * Puts a page of identities, or of clients.
   * @param page the JSON of the list, as the store sent it
   * @param marks which traits identify people
   * @returns what was in it; `fits` is false if the index is full
   * @throws SyntaxError for what is no list of them
   */
  putPeople(page: string, pass: number, marks?: MarksBySchema): PutPage;
  putClients(page: string, pass: number): PutPage;
  /** @param page as of `putPeople`. @throws SyntaxError */
  readSessions(page: string): ListedSession[];
  /** @returns `known`: whether all of them were there already */
  putSessions(sessions: readonly SessionEntry[], pass: number): { fits: boolean; known: boolean };
  /** Those of these people that are not in the index. */
  unknownPeople(ids: readonly string[]): string[];
  /** As `PeopleIndex.withRole`. */
  peopleWithRole(schemas: readonly string[] | undefined, most: number): PersonWithRole[];
  /** Messages of a page to recipients whom nobody in the index has as an identifier or address. @throws SyntaxError */
  unknownRecipients(page: string): Message[];
  removePeople(ids: readonly string[]): void;
  removeSessions(ids: readonly string[]): void;
  /** They ended, but the store still lists them. */
  endSessions(ids: readonly string[]): void;
  /** The store has no session of these people. */
  removeSessionsOf(people: readonly string[]): void;
  removeClients(ids: readonly string[]): void;
  /**
   * A pass has come to its end: what it has not met is gone. In slices, with questions in between.
   * @param after what the slice before returned, 0 at first
   * @returns undefined if this was the last
   */
  endPass(of: 'people' | 'sessions' | 'clients', pass: number, after: number): number | undefined;
  /**
   * Merges some of the small segments of the full-text index, which make every search slower.
   * @param pages how much to write; negative to begin making one segment of all
   * @returns whether there is more to do
   */
  mergeTexts(pages: number): boolean;
  /** A list was read to its end. @returns whether all of it is in the index, and nothing that is gone */
  keepReading(of: 'people' | 'sessions' | 'clients', reading: { wholeAt: number; fits: boolean }): boolean;
  /** What is known of the lists that were read, also by an earlier process. */
  readings(): KeptReadings;
  /** Since when no whole pass has confirmed what it holds, in milliseconds since the epoch; undefined for nothing. */
  unconfirmedSince(): number | undefined;
  search(asked: Asked, order: Order, size: number, after: Place | undefined): FoundPage | 'too-long';
  ids(asked: Asked, most: number): string[] | 'too-long';
  count(asked: Asked): number | 'too-long';
  numbers(at: number): IndexNumbers;
  /** The texts of the question as they were typed. */
  sessions(asked: AskedSessions, size: number, after: Place | undefined): FoundSessions | 'too-long';
  sessionIds(asked: AskedSessions, most: number): string[] | 'too-long';
  places(asked: AskedSessions): PlaceCounts | 'too-long';
  findClients(text: string | undefined, most: number, after?: string): FoundClients | 'too-long';
  /** Parses a page of identities for a list. @throws SyntaxError */
  listedPeople(page: string, filter: RowFilter): ListedPerson[];
  sizes(): { people: number; sessions: number; clients: number; bytes: number };
}

const wordsOrNone = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : questionWords(text);

/** @param now milliseconds on a monotonic clock */
export function indexCommands(database: IndexDatabase, now: () => number = () => performance.now()): IndexCommands {
  const people = peopleIndex(database);
  const limit = timeLimit(database, now);
  const search = peopleSearch(database, limit);
  const sessions = sessionsIndex(database);
  const sessionsFound = sessionSearch(database, limit);
  const clients = clientsIndex(database, limit);
  const changes = database.prepare('select total_changes()').pluck();
  const merge = database.prepare("insert into texts (texts, rank) values ('merge', ?)");
  const facts = indexFacts(database);
  let keptPass = facts.readings().pass;
  /** Lists that hold what is gone: removing it takes room, too. */
  const notRemoved = new Set<string>();
  const anything = database
    .prepare(
      'select exists (select 1 from people) or exists (select 1 from sessions) or exists (select 1 from clients)',
    )
    .pluck();

  /** @returns undefined where there is no room for it */
  function whileRoom<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (hasNoRoom(error)) return undefined;
      throw error;
    }
  }
  /** The number of a pass is kept before anything bears it: the next process must not use it again. */
  const put = (pass: number, write: () => boolean): boolean =>
    whileRoom(() => {
      if (pass > keptPass) facts.keepPass(pass);
      keptPass = Math.max(pass, keptPass);
      return write();
    }) ?? false;

  const inWords = ({ text, ...rest }: Asked): Question => ({ ...rest, words: wordsOrNone(text) });
  const sessionsInWords = ({ place, device, person, ...rest }: AskedSessions): SessionQuestion => ({
    ...rest,
    place: wordsOrNone(place),
    device: wordsOrNone(device),
    person: wordsOrNone(person),
  });
  function inTime<T>(ask: (deadline: number) => T): T | 'too-long' {
    try {
      return ask(now() + QUESTION_MS);
    } catch (error) {
      if (error instanceof TooLong) return 'too-long';
      throw error;
    }
  }

  return {
    putPeople(page, pass, marks) {
      const found = entriesOf(page, (row) => personEntry(row, marks));
      return { ids: found.map(({ id }) => id), fits: put(pass, () => people.put(found, pass)) };
    },
    putClients(page, pass) {
      const found = entriesOf(page, clientEntry);
      return { ids: found.map(({ id }) => id), fits: put(pass, () => clients.put(found, pass)) };
    },
    readSessions: (page) => entriesOf(page, listedSession),
    putSessions(found, pass) {
      const known = sessions.knows(found.map(({ id }) => id));
      return { known, fits: put(pass, () => sessions.put(found, pass)) };
    },
    unknownPeople: people.unknown,
    peopleWithRole: people.withRole,
    unknownRecipients: (page) =>
      entriesOf(page, messageEntry).filter(({ recipient }) => {
        const [word] = wordsOf([recipient]);
        return word !== undefined && !people.hasWord(word);
      }),
    removePeople: people.remove,
    removeSessions: sessions.remove,
    endSessions: sessions.end,
    removeSessionsOf: sessions.removeOf,
    removeClients(ids) {
      for (const id of ids) clients.remove(id);
    },
    endPass(of, pass, after) {
      const slice = whileRoom(() => {
        if (of !== 'clients') return { after: { people, sessions }[of].removeBefore(pass, after) };
        clients.removeBefore(pass);
        return { after: undefined };
      });
      if (slice === undefined) notRemoved.add(of);
      return slice?.after;
    },
    mergeTexts: (pages) =>
      whileRoom(() => {
        const before = changes.get() as number;
        merge.run(pages);
        // As SQLite documents it: the command itself counts as one.
        return (changes.get() as number) - before > 1;
      }) ?? false,
    keepReading(of, { wholeAt, fits }) {
      const isClean = !notRemoved.delete(of);
      const isWhole = isClean && fits;
      return (
        whileRoom(() => {
          facts.keepReading(of, { wholeAt, fits: isWhole });
          if (of === 'people' && isClean) facts.confirm(wholeAt);
          return isWhole;
        }) ?? false
      );
    },
    readings: facts.readings,
    unconfirmedSince: () => (anything.get() === 1 ? facts.unconfirmedSince() : undefined),
    search(asked, order, size, after) {
      const question = inWords(asked);
      return inTime((deadline) => {
        const page = search.page(question, order, size, after, deadline);
        const exact = search.count(question, deadline, COUNTED + 1);
        return { ...page, total: exact <= COUNTED ? exact : null };
      });
    },
    ids: (asked, most) => inTime((deadline) => search.ids(inWords(asked), deadline, most)),
    count: (asked) => inTime((deadline) => search.count(inWords(asked), deadline)),
    numbers: (at) => ({
      people: people.numbers(),
      sessions: { sessions: sessions.size(), ...sessions.numbers(at) },
      clients: { clients: clients.size(), byGrant: clients.byGrant() },
    }),
    sessions: (asked, size, after) =>
      inTime((deadline) => sessionsFound.page(sessionsInWords(asked), size, after, deadline)),
    sessionIds: (asked, most) => inTime((deadline) => sessionsFound.ids(sessionsInWords(asked), deadline, most)),
    places: (asked) => inTime((deadline) => sessionsFound.places(sessionsInWords(asked), deadline)),
    findClients: (text, most, after) => inTime((deadline) => clients.find(wordsOrNone(text), deadline, most, after)),
    listedPeople,
    sizes: () => ({
      people: people.size(),
      sessions: sessions.size(),
      clients: clients.size(),
      bytes: sizeOf(database),
    }),
  };
}
