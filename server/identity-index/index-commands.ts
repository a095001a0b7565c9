import { fold } from '../../shared/fold.ts';
import { peopleIn } from '../../shared/person-entry.ts';
import { type ClientEntry, clientsIndex, type FoundClients } from './clients-index.ts';
import type { IndexDatabase } from './index-database.ts';
import { type PeopleNumbers, peopleIndex } from './people-index.ts';
import { type FoundPeople, peopleSearch } from './people-search.ts';
import type { Quarters } from './quarters.ts';
import type { Order, Place, Question } from './question.ts';
import { type FoundSessions, type PlaceCounts, type SessionQuestion, sessionSearch } from './session-search.ts';
import { type SessionEntry, sessionsIndex } from './sessions-index.ts';
import { TooLong, timeLimit } from './time-limit.ts';

/** How long a question may take, and how long counting what it found may. */
export const QUESTION_MS = 2_000;
/** Up to here the number of matches is exact, however long it takes. */
const COUNTED = 10_000;

/** A question as it was typed. */
export interface Asked extends Omit<Question, 'text'> {
  text?: string | undefined;
}

export interface FoundPage extends FoundPeople {
  /** Null where more than 10,000 match and counting them takes too long. */
  total: number | null;
}

export interface IndexNumbers {
  people: PeopleNumbers;
  sessions: { sessions: number; active: number; since: number; quarters: Quarters };
  clients: { clients: number; byGrant: { grant: string; count: number }[] };
}

/** What the worker does, each in one turn. Arguments and results are cloned between threads. */
export interface IndexCommands {
  /**
   * @param page the JSON of a page of identities, as the store sent it
   * @returns what was in it; `rest` is false if the index is full
   * @throws SyntaxError or NotAList for anything but a list of identities
   */
  putPeople(page: string, pass: number): { ids: string[]; rest: boolean };
  putSessions(sessions: readonly SessionEntry[], pass: number): boolean;
  putClients(clients: readonly ClientEntry[], pass: number): boolean;
  removePeople(ids: readonly string[]): void;
  removeSessions(ids: readonly string[]): void;
  removeClient(id: string): void;
  /** A pass has come to its end: what it has not met is gone. */
  endPass(of: 'people' | 'sessions' | 'clients', pass: number): void;
  knowsSessions(ids: readonly string[]): boolean;
  search(asked: Asked, order: Order, size: number, after: Place | undefined): FoundPage | 'too-long';
  ids(asked: Asked, most: number): string[] | 'too-long';
  count(asked: Asked): number | 'too-long';
  numbers(at: number): IndexNumbers;
  /** The texts of the question as they were typed. */
  sessions(asked: SessionQuestion, size: number, after: Place | undefined): FoundSessions | 'too-long';
  sessionIds(asked: SessionQuestion, most: number): string[] | 'too-long';
  places(asked: SessionQuestion): PlaceCounts | 'too-long';
  findClients(text: string | undefined, most: number, after?: string): FoundClients;
  sizes(): { people: number; sessions: number; clients: number; bytes: number };
}

const foldedOrNone = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : fold(text) || undefined;

/** @param now milliseconds on a monotonic clock */
export function indexCommands(database: IndexDatabase, now: () => number = () => performance.now()): IndexCommands {
  const people = peopleIndex(database);
  const limit = timeLimit(database, now);
  const search = peopleSearch(database, limit);
  const sessions = sessionsIndex(database);
  const sessionsFound = sessionSearch(database, limit);
  const clients = clientsIndex(database);

  const foldedOf = ({ text, ...rest }: Asked): Question => ({ ...rest, text: foldedOrNone(text) });
  const foldedIn = ({ place, device, person, ...rest }: SessionQuestion): SessionQuestion => ({
    ...rest,
    place: foldedOrNone(place),
    device: foldedOrNone(device),
    person: foldedOrNone(person),
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
    putPeople(page, pass) {
      const found = peopleIn(page);
      return { ids: found.map(({ id }) => id), rest: people.put(found, pass) };
    },
    putSessions: sessions.put,
    putClients: clients.put,
    removePeople: people.remove,
    removeSessions: sessions.remove,
    removeClient: clients.remove,
    endPass(of, pass) {
      ({ people, sessions, clients })[of].removeBefore(pass);
      // Small segments of the full-text index make every search slower.
      if (of === 'people') database.prepare("insert into texts (texts, rank) values ('merge', 500)").run();
    },
    knowsSessions: sessions.knows,
    search(asked, order, size, after) {
      const question = foldedOf(asked);
      return inTime((deadline) => {
        const page = search.page(question, order, size, after, deadline);
        const exact = search.count(question, deadline, COUNTED + 1);
        const counted = exact <= COUNTED ? exact : inTime((until) => search.count(question, until));
        return { ...page, total: counted === 'too-long' ? null : counted };
      });
    },
    ids: (asked, most) => inTime((deadline) => search.ids(foldedOf(asked), deadline, most)),
    count: (asked) => inTime((deadline) => search.count(foldedOf(asked), deadline)),
    numbers: (at) => ({
      people: people.numbers(),
      sessions: { sessions: sessions.size(), ...sessions.numbers(at) },
      clients: { clients: clients.size(), byGrant: clients.byGrant() },
    }),
    sessions: (asked, size, after) => inTime((deadline) => sessionsFound.page(foldedIn(asked), size, after, deadline)),
    sessionIds: (asked, most) => inTime((deadline) => sessionsFound.ids(foldedIn(asked), deadline, most)),
    places: (asked) => inTime((deadline) => sessionsFound.places(foldedIn(asked), deadline)),
    findClients: (text, most, after) => clients.find(foldedOrNone(text), most, after),
    sizes: () => ({
      people: people.size(),
      sessions: sessions.size(),
      clients: clients.size(),
      bytes:
        (database.pragma('page_count', { simple: true }) as number) *
        (database.pragma('page_size', { simple: true }) as number),
    }),
  };
}
