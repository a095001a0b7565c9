import { fold } from '../../shared/fold.ts';
import { documentOf, soughtFor } from './full-text.ts';
import { type IndexDatabase, isFull } from './index-database.ts';

/** What the index keeps of an OAuth 2.0 client. */
export interface ClientEntry {
  id: string;
  name: string;
  owner: string;
  grants: readonly string[];
}

export interface ClientsIndex {
  /** @returns false if the index is full; then some of them may be missing */
  put(clients: readonly ClientEntry[], pass: number): boolean;
  remove(id: string): void;
  removeBefore(pass: number): void;
  size(): number;
  /** By any part of id, name or owner, ordered by id. */
  find(text: string, most: number): string[];
  byGrant(): { grant: string; count: number }[];
}

export function clientsIndex(database: IndexDatabase): ClientsIndex {
  const put = database.prepare('insert or replace into clients (id, grants, document, pass) values (?, ?, ?, ?)');
  const putAll = database.transaction((clients: readonly ClientEntry[], pass: number) => {
    for (const { id, name, owner, grants } of clients)
      put.run(id, JSON.stringify([...new Set(grants)]), documentOf([id, name, owner].map(fold).filter(Boolean)), pass);
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
    find: (text, most) =>
      database
        .prepare('select id from clients where instr(document, ?) > 0 order by id limit ?')
        .pluck()
        .all(soughtFor(text), most) as string[],
    byGrant: () =>
      database
        .prepare(
          `select value as "grant", count(*) as count from clients, json_each(clients.grants) group by value
           order by count desc, value`,
        )
        .all() as { grant: string; count: number }[],
  };
}
