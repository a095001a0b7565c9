import type { Sort } from '../../shared/identities.ts';
import type { EntryFilter, IdentityEntry, Period } from '../../shared/identity-entry.ts';
import {
  addition,
  bytesOf,
  type Cursor,
  contains,
  documentOf,
  type IndexDatabase,
  partsOf,
  QUARTER_MS,
  type Quarters,
  removalOfUnseen,
  type SqlValue,
  sqlConditions,
  type TimeLimit,
  transaction,
  trigramsOf,
  uuidOf,
} from './database.ts';

/** Absent members do not filter. */
export interface IdentitiesQuery extends EntryFilter {
  /** When the last session began; `none`: identities without a session; `orNone`: includes them. */
  lastSession?: (Period & { orNone?: boolean | undefined }) | 'none' | undefined;
}

export interface Order {
  by: Sort;
  descending: boolean;
}

/** The values of the column `identities.verified`. */
const VERIFIED = { true: 1, false: 0, none: 2 } as const;
/** Per batch of a removal: either takes about 20 milliseconds. */
const AT_ONCE = { visited: 5_000, removed: 100 };
/** Up to this many matches of a text or narrow filter are sorted; more are read in order from the column's index. */
const SORTED_MAX = 10_000;
/** An address belongs to one person, but others may have it among their traits. */
const WITH_WORD = 5;

interface IndexedIdentity {
  number: number;
  document: string;
}

/** Stores and searches identities, with a full-text index. */
export function identitiesTable(database: IndexDatabase, limited: TimeLimit) {
  const schemaBy = database.prepare('select number from schemas where id = ?').pluck();
  const addSchema = database.prepare('insert into schemas (id) values (?)');
  const identityBy = database.prepare('select number, document from identities where id = ?');
  const addIdentity = database.prepare(
    `insert into identities
       (id, schema, active, verified, created, updated, identifier, role, pass, document, last_session)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce((select max(authenticated) from sessions where identity = ?), 0))`,
  );
  const changeIdentity = database.prepare(
    `update identities set schema = ?, active = ?, verified = ?, created = ?, updated = ?, identifier = ?, role = ?,
     pass = ?, document = ? where number = ?`,
  );
  const removeIdentity = database.prepare('delete from identities where number = ?');
  const addText = database.prepare('insert into texts (rowid, document) values (?, ?)');
  const removeText = database.prepare("insert into texts (texts, rowid, document) values ('delete', ?, ?)");
  const size = database.prepare('select count(*) from identities').pluck();
  const withWord = database
    .prepare(
      `select id from identities where number in (select rowid from texts where texts match ?)
         and instr(document || ?, ?) > 0 limit ${WITH_WORD}`,
    )
    .pluck();
  const withRole = database.prepare(
    `select identities.id as id, role
     from identities indexed by identities_role join schemas on schemas.number = identities.schema
     where role <> '' and role in (select value from json_each(?)) and (? or schemas.id in (select value from json_each(?))) order by identities.id limit ?`,
  );
  const textMatches = database
    .prepare(`select count(*) from (select 1 from texts where texts match ? limit ${SORTED_MAX + 1})`)
    .pluck();

  const schemaNumber = (id: string): number =>
    (schemaBy.get(id) as number | undefined) ?? Number(addSchema.run(id).lastInsertRowid);

  function putOne(entry: IdentityEntry, sync: number): void {
    const key = bytesOf(entry.id);
    const indexed = identityBy.get(key) as IndexedIdentity | undefined;
    const { active, verified, createdAt, updatedAt, identifier, role } = entry;
    const document = documentOf(entry.words);
    const schema = schemaNumber(entry.schemaId);
    const fields = [schema, Number(active), VERIFIED[`${verified ?? 'none'}`], createdAt, updatedAt, identifier, role];
    if (indexed === undefined)
      addText.run(addIdentity.run(key, ...fields, sync, document, key).lastInsertRowid, document);
    else {
      changeIdentity.run(...fields, sync, document, indexed.number);
      if (indexed.document === document) return;
      removeText.run(indexed.number, indexed.document);
      addText.run(indexed.number, document);
    }
  }
  function removeOne({ number, document }: IndexedIdentity): void {
    removeIdentity.run(number);
    removeText.run(number, document);
  }

  function countRows(select: string, values: readonly SqlValue[]): number {
    const count = database.prepare(`select count(*) from (${select})`).pluck();
    return count.get(...values) as number;
  }

  /** The conditions of a query, except those on words. */
  function conditionsOf(query: IdentitiesQuery) {
    const { words, active, schemaId, verified, created, updated, lastSession, ...others } = query;
    // A filter that is missing here would match everybody.
    others satisfies Record<string, never>;
    const conditions = sqlConditions();
    const { add } = conditions;
    const within = (column: string, { from, to }: Period = {}): void => {
      if (from !== undefined) add(`${column} >= ?`, from);
      if (to !== undefined) add(`${column} < ?`, to);
    };
    if (active !== undefined) add(active ? 'active <> 0' : 'active = 0');
    if (schemaId !== undefined) add('schema = ?', (schemaBy.get(schemaId) as number | undefined) ?? -1);
    if (verified !== undefined) add(verified ? 'verified = 1' : 'verified <> 1');
    within('created', created);
    within('updated', updated);
    if (lastSession === 'none') add('last_session = 0');
    else if (lastSession !== undefined) {
      within('last_session', lastSession);
      if (lastSession.orNone !== true) add('last_session <> 0');
    }
    return conditions;
  }

  /** An index in which at most SORTED_MAX entries match a filter of the query; undefined if there is none. */
  function narrowIndex(query: IdentitiesQuery): string | undefined {
    const { active, schemaId, verified, created, updated, lastSession } = query;
    const indexes: [index: string, filter: IdentitiesQuery][] = [];
    if (schemaId !== undefined) indexes.push(['identities_schema', { schemaId }]);
    if (active === false) indexes.push(['identities_state', { active }]);
    if (verified === false) indexes.push(['identities_verified', { verified }]);
    if (created !== undefined) indexes.push(['identities_created', { created }]);
    if (updated !== undefined) indexes.push(['identities_updated', { updated }]);
    if (lastSession !== undefined) indexes.push(['identities_last_session', { lastSession }]);
    return indexes.find(([index, filter]) => {
      const { sql, values } = conditionsOf(filter);
      const matches = `select 1 from identities indexed by ${index} where ${sql()} limit ${SORTED_MAX + 1}`;
      return countRows(matches, values) <= SORTED_MAX;
    })?.[0];
  }

  /** The tables to read and the conditions on their rows. */
  function fromWhere(query: IdentitiesQuery, order?: Order, after?: Cursor): { from: string; values: SqlValue[] } {
    const { add, sql, values } = conditionsOf(query);
    const parts = query.words === undefined ? undefined : partsOf(query.words);
    const trigrams = parts && trigramsOf(parts);
    const isRare = trigrams !== undefined && (textMatches.get(trigrams) as number) <= SORTED_MAX;
    const index = isRare ? undefined : (narrowIndex(query) ?? (order && `identities_${order.by}`));
    if (order !== undefined && after !== undefined)
      add(`(${order.by}, id) ${order.descending ? '<' : '>'} (?, ?)`, after.value, bytesOf(after.id));
    if (isRare) add('number in (select rowid from texts where texts match ?)', trigrams);
    // If many rows contain the text, checking each is faster than the full-text index.
    if (parts !== undefined) add(contains(parts), ...parts);
    return { from: `identities ${index ? `indexed by ${index}` : ''} where in_time(number) and ${sql()}`, values };
  }

  return {
    put: addition(database, (identities: readonly IdentityEntry[], sync: number) => {
      for (const entry of identities) putOne(entry, sync);
    }),
    remove: transaction(database, (ids: readonly string[]) => {
      for (const id of ids) {
        const indexed = identityBy.get(bytesOf(id)) as IndexedIdentity | undefined;
        if (indexed !== undefined) removeOne(indexed);
      }
    }),
    removeBefore: removalOfUnseen<IndexedIdentity>(database, 'identities', 'document', AT_ONCE, (gone) => {
      for (const indexed of gone) removeOne(indexed);
    }),
    /** @returns the ids that are not in the index */
    unknown: (ids: readonly string[]): string[] => ids.filter((id) => identityBy.get(bytesOf(id)) === undefined),
    /** Some of the identities that have exactly this word. */
    withWord: (word: string): string[] =>
      (withWord.all(trigramsOf([documentOf([word])]), documentOf(['']), documentOf([word, ''])) as Buffer[]).map(
        uuidOf,
      ),
    /** Identities with one of these roles, by id. @param schemaIds undefined: of any schema */
    withRole(roles: readonly string[], schemaIds: readonly string[] | undefined, most: number) {
      const rows = withRole.all(
        JSON.stringify(roles),
        Number(schemaIds === undefined),
        JSON.stringify(schemaIds ?? []),
        most,
      );
      return (rows as { id: Buffer; role: string }[]).map(({ id, role }) => ({ id: uuidOf(id), role }));
    },
    size: (): number => size.get() as number,
    /** Reads only indexes, since the rows make up most of a large file. */
    numbers() {
      const all = <T>(sql: string): T[] => database.prepare(sql).all() as T[];
      const identities = size.get() as number;
      const notVerified = all<{ verified: number; count: number }>(
        `select verified, count(*) as count from identities indexed by identities_verified
         where verified <> ${VERIFIED.true} group by verified`,
      );
      const counted = (state: number): number => notVerified.find((row) => row.verified === state)?.count ?? 0;
      const verifiable = identities - counted(VERIFIED.none);
      return {
        identities,
        /** Identities with a verifiable address; `verified`: with a verified one. */
        verifiable,
        verified: verifiable - counted(VERIFIED.false),
        bySchema: all<{ schemaId: string; count: number }>(
          `select schemas.id as schemaId, count(*) as count
           from identities join schemas on schemas.number = identities.schema group by identities.schema`,
        ),
        /** The number of identities created in each quarter. */
        quarters: all<Quarters[number]>(
          `select created / ${QUARTER_MS} as quarter, count(*) as count from identities indexed by identities_created
           where created > 0 group by quarter`,
        ),
      };
    },
    /** @throws SearchTooLong */
    page: (query: IdentitiesQuery, order: Order, size: number, after: Cursor | undefined) =>
      limited(() => {
        const { from, values } = fromWhere(query, order, after);
        const direction = order.descending ? 'desc' : 'asc';
        const page = database.prepare(
          `select id, last_session as lastSession, ${order.by} as value from ${from}
           order by ${order.by} ${direction}, id ${direction} limit ${size + 1}`,
        );
        const rows = page.all(...values) as { id: Buffer; lastSession: number; value: string | number }[];
        const last = rows.length > size ? rows[size - 1] : undefined;
        return {
          identities: rows.slice(0, size).map(({ id, lastSession }) => ({ id: uuidOf(id), lastSession })),
          /** Undefined if there are no more rows. */
          next: last && { value: last.value, id: uuidOf(last.id) },
        };
      }),
    /** @param most stops counting at this number; all by default. @throws SearchTooLong */
    count: (query: IdentitiesQuery, most = -1): number =>
      limited(() => {
        const { from, values } = fromWhere(query);
        return countRows(`select 1 from ${from} limit ${most}`, values);
      }),
    /** The matching ids, in order. @throws SearchTooLong */
    ids: (query: IdentitiesQuery, most: number): string[] =>
      limited(() => {
        const { from, values } = fromWhere(query);
        const found = database.prepare(`select id from ${from} limit ${most}`).pluck();
        return (found.all(...values) as Buffer[]).map(uuidOf).sort();
      }),
  };
}
