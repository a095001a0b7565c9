import type SqliteDatabase from 'better-sqlite3';

type List = 'people' | 'sessions' | 'clients';

/** What outlasts the process when the index is kept in a file. Times are milliseconds since the epoch. */
export interface KeptReadings {
  /** The number of the last pass. */
  pass: number;
  /** Of each list that was read to its end: when that reading began, and whether the index had room for all of it. */
  readings: Partial<Record<List, { wholeAt: number; fits: boolean }>>;
}

/** Whose people the index holds: of another store or deployment it is built anew. */
export interface Owner {
  /** The addresses that people and clients are read from. */
  store: string;
  deployment: string;
}

/** What is not confirmed for so long is emptied. */
export const UNCONFIRMED_MS = 24 * 60 * 60_000;

/** Facts about the index, stored in itself. */
export interface IndexFacts {
  owner(): Owner;
  keepOwner(owner: Owner, createdAt: number): void;
  /** Since when no whole pass has confirmed the people it holds. */
  unconfirmedSince(): number;
  readings(): KeptReadings;
  keepPass(pass: number): void;
  /** A whole pass has met all the people it holds. */
  confirm(wholeAt: number): void;
  keepReading(of: List, reading: { wholeAt: number; fits: boolean }): void;
}

const LISTS: readonly List[] = ['people', 'sessions', 'clients'];

export function indexFacts(database: SqliteDatabase.Database): IndexFacts {
  const find = database.prepare('select value from facts where name = ?').pluck();
  const keep = database.prepare('insert or replace into facts (name, value) values (?, ?)');
  const text = (name: string): string => String(find.get(name) ?? '');

  return {
    owner: () => ({ store: text('store'), deployment: text('deployment') }),
    keepOwner({ store, deployment }, createdAt) {
      keep.run('store', store);
      keep.run('deployment', deployment);
      keep.run('confirmed', String(createdAt));
    },
    unconfirmedSince: () => Number(text('confirmed')),
    readings: () => ({
      pass: Number(text('pass')),
      readings: Object.fromEntries(
        LISTS.flatMap((list) => {
          const reading = text(`read ${list}`);
          return reading === '' ? [] : [[list, JSON.parse(reading)]];
        }),
      ),
    }),
    keepPass: (pass) => void keep.run('pass', String(pass)),
    keepReading: (of, reading) => void keep.run(`read ${of}`, JSON.stringify(reading)),
    confirm: (wholeAt) => void keep.run('confirmed', String(wholeAt)),
  };
}
