import { membersOf, text } from '../../shared/json.ts';
import { wordsOf } from '../../shared/text.ts';
import { addition, contains, documentOf, type IndexDatabase, partsOf, type TimeLimit } from './database.ts';

const TEXT_CHARACTERS = 255;

/** What the index stores of an OAuth 2.0 client; undefined if it is not a client. */
export function clientEntry(client: unknown) {
  const fields = membersOf(client);
  const id = text(fields['client_id']);
  if (id === '' || id.length > TEXT_CHARACTERS) return undefined;
  const grants = Array.isArray(fields['grant_types']) ? fields['grant_types'].map(text) : [];
  return {
    id,
    name: text(fields['client_name']).slice(0, TEXT_CHARACTERS),
    owner: text(fields['owner']).slice(0, TEXT_CHARACTERS),
    grants: grants.filter((grant) => grant !== '' && grant.length <= TEXT_CHARACTERS),
  };
}

export function clientsTable(database: IndexDatabase, limited: TimeLimit) {
  const put = database.prepare('insert or replace into clients (id, grants, document, pass) values (?, ?, ?, ?)');
  const remove = database.prepare('delete from clients where id = ?');
  const removeBefore = database.prepare('delete from clients where pass < ?');
  const size = database.prepare('select count(*) from clients').pluck();
  return {
    put: addition(database, (clients: readonly NonNullable<ReturnType<typeof clientEntry>>[], sync: number) => {
      for (const { id, name, owner, grants } of clients)
        put.run(id, JSON.stringify([...new Set(grants)]), documentOf(wordsOf([id, name, owner])), sync);
    }),
    remove(ids: readonly string[]): void {
      for (const id of ids) remove.run(id);
    },
    /** Like `removalOfUnseen`, but in one batch. */
    removeBefore(sync: number, _after: number): undefined {
      removeBefore.run(sync);
    },
    size: (): number => size.get() as number,
    numbers: () => ({
      clients: size.get() as number,
      byGrant: database
        .prepare(
          `select value as "grant", count(*) as count from clients, json_each(clients.grants) group by value
           order by count desc, value`,
        )
        .all() as { grant: string; count: number }[],
    }),
    /**
     * Clients whose id, name or owner contain all of the words, ordered by id.
     * @param after the last id of the previous page
     * @param except ids to leave out
     * @throws SearchTooLong
     */
    page: (words: readonly string[], most: number, after = '', except: readonly string[] = []) =>
      limited(() => {
        const parts = [...partsOf(words), JSON.stringify(except)];
        const from = `from clients where in_time(pass) and ${contains(partsOf(words))}
                      and id not in (select value from json_each(?))`;
        const page = database.prepare(`select id ${from} and id > ? order by id limit ?`).pluck();
        const ids = page.all(...parts, after, most + 1) as string[];
        const total = database.prepare(`select count(*) ${from}`).pluck();
        return { ids: ids.slice(0, most), more: ids.length > most, total: total.get(...parts) as number };
      }),
  };
}
