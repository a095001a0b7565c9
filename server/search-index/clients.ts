import { wordsOf } from '../../shared/text.ts';
import type { TimeLimit } from './database.ts';
import { type IndexDatabase, isFull } from './database.ts';
import { documentOf, isInDocument, soughtFor } from './full-text.ts';

/** What the index keeps of an OAuth 2.0 client. */
export interface ClientEntry {
  id: string;
  name: string;
  owner: string;
  grants: readonly string[];
}

export interface FoundClients {
  /** In their order. */
  ids: string[];
  /** Whether there are some after these. */
  more: boolean;
  /** Of those on all pages. */
  total: number;
}

export interface ClientsIndex {
  /** @returns false if the index is full; then some of them may be missing */
  put(clients: readonly ClientEntry[], pass: number): boolean;
  remove(id: string): void;
  removeBefore(pass: number): void;
  size(): number;
  /**
   * By words that are each any part of id, name or owner; all of them without words.
   * @param after the id before the first one
   * @throws TooLong
   */
  find(words: readonly string[] | undefined, deadline: number, most: number, after?: string): FoundClients;
  byGrant(): { grant: string; count: number }[];
}

export function clientsIndex(database: IndexDatabase, { within }: TimeLimit): ClientsIndex {
  const put = database.prepare('insert or replace into clients (id, grants, document, pass) values (?, ?, ?, ?)');
  const putAll = database.transaction((clients: readonly ClientEntry[], pass: number) => {
    for (const { id, name, owner, grants } of clients)
      put.run(id, JSON.stringify([...new Set(grants)]), documentOf(wordsOf([id, name, owner])), pass);
  });
  return {
    put(clients, pass) {
      if (isFull(database)) return false;
      putAll(clients, pass);
      return true;
    },
    remove: (id) => void database.prepare('delete from clients where id = ?').run(id),
    removeBefore: (pass) => void database.prepare('delete from clients where pass < ?').run(pass),
    size: () => database.prepare('select count(*) from clients').pluck().get() as number,
    find: (words = [], deadline, most, after = '') =>
      within(deadline, () => {
        const sought = soughtFor(words);
        const from = `from clients where in_time(pass) and ${isInDocument(sought)}`;
        const page = database.prepare(`select id ${from} and id > ? order by id limit ?`).pluck();
        const ids = page.all(...sought, after, most + 1) as string[];
        const total = database.prepare(`select count(*) ${from}`).pluck();
        return { ids: ids.slice(0, most), more: ids.length > most, total: total.get(...sought) as number };
      }),
    byGrant: () =>
      database
        .prepare(
          `select value as "grant", count(*) as count from clients, json_each(clients.grants) group by value
           order by count desc, value`,
        )
        .all() as { grant: string; count: number }[],
  };
}
