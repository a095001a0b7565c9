import { personEntry } from '../../shared/identities.ts';
import { gridPoint } from '../geo/map-points.ts';
import type { ClientEntry } from './clients.ts';
import type { AskedSessions, IndexCommands, IndexNumbers } from './commands.ts';
import { clientEntry, entriesOf, listedSession } from './entries.ts';
import { QUARTER_MS, type Quarters } from './full-text.ts';
import type { SessionEntry } from './sessions.ts';
import { IndexUnavailable, type RunningIndex } from './thread.ts';

/** Of each list; more are not counted. */
const MOST = 20_000;

interface CountedPerson {
  schemaId: string;
  verified: boolean | undefined;
  createdAt: number;
}

/** What a pass met of a list, the first 20,000 of it. */
function counted<T>() {
  const items = new Map<string, { item: T; pass: number }>();
  return {
    put(id: string, item: T, pass: number): boolean {
      if (items.size >= MOST && !items.has(id)) return false;
      items.set(id, { item, pass });
      return true;
    },
    has: (id: string) => items.has(id),
    change(id: string, to: (item: T) => T): void {
      const known = items.get(id);
      if (known !== undefined) items.set(id, { ...known, item: to(known.item) });
    },
    remove(ids: readonly string[]): void {
      for (const id of ids) items.delete(id);
    },
    removeBefore(before: number): void {
      for (const [id, { pass }] of items) if (pass < before) items.delete(id);
    },
    size: () => items.size,
    all: () => [...items.values()].map(({ item }) => item),
  };
}

/** Without an index: names nobody and finds nobody, but the numbers of the overview and of the map are counted. */
export function countsInMemory(): RunningIndex {
  const people = counted<CountedPerson>();
  const sessions = counted<SessionEntry>();
  const clients = counted<ClientEntry>();
  const lists = { people, sessions, clients };

  function fitting({ circle, place, device, person, since, activeAt }: AskedSessions): SessionEntry[] {
    if (place !== undefined || device !== undefined || person !== undefined) throw new IndexUnavailable();
    return sessions
      .all()
      .filter(
        (session) =>
          (circle === undefined || isThere(session.place, circle)) &&
          (since === undefined || session.authenticatedAt > since) &&
          (activeAt === undefined || isActive(session, activeAt)),
      );
  }

  const commands: Partial<IndexCommands> = {
    putPeople(page, pass) {
      const entries = entriesOf(page, (row) => personEntry(row));
      const fits = entries.map(({ id, schemaId, verified, createdAt }) =>
        people.put(id, { schemaId, verified, createdAt }, pass),
      );
      return { ids: entries.map(({ id }) => id), fits: !fits.includes(false) };
    },
    putClients(page, pass) {
      const entries = entriesOf(page, clientEntry);
      const fits = entries.map((entry) => clients.put(entry.id, { ...entry, name: '', owner: '' }, pass));
      return { ids: entries.map(({ id }) => id), fits: !fits.includes(false) };
    },
    readSessions: (page) => entriesOf(page, listedSession),
    putSessions(entries, pass) {
      const known = entries.every(({ id }) => sessions.has(id));
      const fits = entries.map((entry) => sessions.put(entry.id, { ...entry, device: '' }, pass));
      return { known, fits: !fits.includes(false) };
    },
    unknownPeople: (ids) => ids.filter((id) => !people.has(id)),
    removePeople: people.remove,
    removeSessions: sessions.remove,
    endSessions(ids) {
      for (const id of ids) sessions.change(id, (session) => ({ ...session, active: false }));
    },
    removeSessionsOf(ids) {
      const those = sessions.all().filter(({ identityId }) => ids.includes(identityId));
      sessions.remove(those.map(({ id }) => id));
    },
    removeClients: clients.remove,
    endPass(of, pass) {
      lists[of].removeBefore(pass);
      return undefined;
    },
    mergeTexts: () => false,
    keepReading: (_of, { fits }) => fits,
    unconfirmedSince: () => undefined,
    numbers: (at): IndexNumbers => ({
      people: {
        people: people.size(),
        verifiable: people.all().filter(({ verified }) => verified !== undefined).length,
        verified: people.all().filter(({ verified }) => verified === true).length,
        bySchema: tally(people.all().map(({ schemaId }) => schemaId)).map(([schemaId, count]) => ({ schemaId, count })),
        quarters: quartersOf(people.all().map(({ createdAt }) => createdAt)),
      },
      sessions: {
        sessions: sessions.size(),
        active: sessions.all().filter((session) => isActive(session, at)).length,
        since: sessions
          .all()
          .map(({ issuedAt, authenticatedAt }) => issuedAt || authenticatedAt)
          .reduce((least, time) => (least === 0 || (time > 0 && time < least) ? time : least), 0),
        quarters: quartersOf(sessions.all().map(({ authenticatedAt }) => authenticatedAt)),
      },
      clients: {
        clients: clients.size(),
        byGrant: tally(clients.all().flatMap(({ grants }) => [...new Set(grants)])).map(([grant, count]) => ({
          grant,
          count,
        })),
      },
    }),
    places(asked) {
      const keys = new Map<string, SessionEntry['place']>();
      const names = fitting(asked).map(({ place }) => {
        const key = JSON.stringify(place) ?? '';
        keys.set(key, place);
        return key;
      });
      return tally(names).map(([key, count]) => ({ place: keys.get(key), count }));
    },
    sessions(asked, size, after) {
      const all = latestFirst(fitting(asked));
      const rest = after === undefined ? all : all.filter((session) => isBefore(session, after));
      const last = rest.length > size ? rest[size - 1] : undefined;
      return {
        ids: rest.slice(0, size).map(({ id }) => id),
        next: last && { value: last.authenticatedAt, id: last.id },
        total: all.length,
      };
    },
    sessionIds: (asked, most) =>
      latestFirst(fitting(asked))
        .slice(0, most)
        .map(({ id }) => id),
    sizes: () => ({ people: people.size(), sessions: sessions.size(), clients: clients.size(), bytes: 0 }),
  };

  const ask = new Proxy({} as RunningIndex['ask'], {
    get:
      (_target, name: keyof IndexCommands) =>
      async (...args: unknown[]) => {
        const command = commands[name] as ((...args: unknown[]) => unknown) | undefined;
        if (command === undefined) throw new IndexUnavailable('there is no index to search');
        return command(...args);
      },
  });
  return { ask, opened: async () => {}, empty() {}, stop: async () => {} };
}

function isThere(place: SessionEntry['place'], circle: NonNullable<AskedSessions['circle']>): boolean {
  if (place === undefined || circle === 'unknown') return place === undefined && circle === 'unknown';
  const point = gridPoint(place.lat, place.lng);
  return point.lat === circle.lat && point.lng === circle.lng;
}

const isActive = ({ active, expiresAt }: SessionEntry, at: number): boolean =>
  active && (expiresAt === 0 || expiresAt > at);

const isBefore = ({ authenticatedAt, id }: SessionEntry, after: { value: string | number; id: string }): boolean =>
  authenticatedAt < Number(after.value) || (authenticatedAt === after.value && id < after.id);

const latestFirst = (sessions: SessionEntry[]): SessionEntry[] =>
  sessions.sort((a, b) => b.authenticatedAt - a.authenticatedAt || (a.id < b.id ? 1 : -1));

function tally<T>(names: readonly T[]): [name: T, count: number][] {
  const counts = new Map<T, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}

const quartersOf = (times: readonly number[]): Quarters =>
  tally(times.filter((time) => time > 0).map((time) => Math.floor(time / QUARTER_MS))).map(([quarter, count]) => ({
    quarter,
    count,
  }));
