import type { Statement } from 'better-sqlite3';
import { documentOf, phraseFor, soughtFor } from './fold.ts';
import { type IndexDatabase, isFull } from './index-database.ts';
import type { PersonEntry } from './person-entry.ts';
import { QUARTER_MS, type Quarters } from './quarters.ts';
import type { Order, Period, Place, Question } from './question.ts';
import { bytesOf, uuidOf } from './uuid-bytes.ts';

export interface FoundPeople {
  people: { id: string; lastSession: number }[];
  /** The place of the last row; undefined if there are no more rows. */
  next: Place | undefined;
}

/** People in the index: written by the passes, asked by the routes. All of it runs in the worker, in one turn each. */
export interface PeopleIndex {
  /**
   * Adds people or replaces what is known of them.
   * @returns false if the index is full; then some of them may be missing
   */
  put(people: readonly PersonEntry[], pass: number): boolean;
  remove(ids: readonly string[]): void;
  /** Removes whoever was not put since `pass`. @returns how many */
  removeBefore(pass: number): number;
  size(): number;
  /** @throws TooLong */
  page(question: Question, order: Order, size: number, after: Place | undefined, deadline: number): FoundPeople;
  /** @param most stop there. @throws TooLong */
  count(question: Question, deadline: number, most?: number): number;
  /** All of them by id. @throws TooLong */
  ids(question: Question, deadline: number, most: number): string[];
  numbers(): PeopleNumbers;
}

export interface PeopleNumbers {
  people: number;
  /** With an address that can be verified, and with one that is. */
  verifiable: number;
  verified: number;
  bySchema: { schemaId: string; count: number }[];
  /** When they were created. */
  quarters: Quarters;
}

/** A question took longer than it may. */
export class TooLong extends Error {}

/** Up to so many rows found by a text or a narrow filter are sorted; more are met in the order's own index. */
const SORTED = 10_000;

const VERIFIED = { true: 1, false: 0, none: 2 } as const;
const SORT_COLUMNS = { created: 'created', updated: 'updated', identifier: 'identifier', last_session: 'last_session' };

type SqliteStatement = Statement<unknown[]>;

interface Known {
  number: number;
  document: string;
}

interface Row {
  id: Buffer;
  lastSession: number;
  value: string | number;
}

/** A condition in SQL with its values. */
interface Condition {
  sql: string;
  values: (string | number | Buffer)[];
}

export function peopleIndex(database: IndexDatabase, now: () => number): PeopleIndex {
  let deadline = Number.POSITIVE_INFINITY;
  // Called for each row that a question visits, which SQLite cannot be interrupted in otherwise.
  let ticks = 0;
  database.function('in_time', { deterministic: false }, (_number) => {
    ticks += 1;
    if (ticks % 1_024 === 0 && now() > deadline) throw new TooLong();
    return 1;
  });

  const schemaNumber = database.prepare('select number from schemas where id = ?').pluck();
  const addSchema = database.prepare('insert into schemas (id) values (?)');
  const personBy = database.prepare('select number, document from people where id = ?');
  const addPerson = database.prepare(
    `insert into people (id, schema, active, verified, created, updated, identifier, pass, document, last_session)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?,
       coalesce((select max(authenticated) from sessions where sessions.person = ?), 0))`,
  );
  const changePerson = database.prepare(
    `update people set schema = ?, active = ?, verified = ?, created = ?, updated = ?, identifier = ?, pass = ?,
     document = ? where number = ?`,
  );
  const removePerson = database.prepare('delete from people where number = ?');
  const addText = database.prepare('insert into texts (rowid, document) values (?, ?)');
  const removeText = database.prepare("insert into texts (texts, rowid, document) values ('delete', ?, ?)");
  const outdated = database.prepare('select number, document from people where pass < ? limit 1000');
  const size = database.prepare('select count(*) from people').pluck();
  const known = new Map<string, number>();

  function numberOf(schemaId: string): number {
    const at = known.get(schemaId) ?? (schemaNumber.get(schemaId) as number | undefined);
    const number = at ?? Number(addSchema.run(schemaId).lastInsertRowid);
    known.set(schemaId, number);
    return number;
  }

  function putOne(person: PersonEntry, pass: number): void {
    const key = bytesOf(person.id);
    const known = personBy.get(key) as Known | undefined;
    const { active, verified, createdAt, updatedAt, identifier } = person;
    const document = documentOf(person.texts);
    const schema = numberOf(person.schemaId);
    const fields = [schema, Number(active), VERIFIED[`${verified ?? 'none'}`], createdAt, updatedAt, identifier];
    if (known === undefined) addText.run(addPerson.run(key, ...fields, pass, document, key).lastInsertRowid, document);
    else {
      changePerson.run(...fields, pass, document, known.number);
      if (known.document === document) return;
      removeText.run(known.number, known.document);
      addText.run(known.number, document);
    }
  }
  const putAll = database.transaction((people: readonly PersonEntry[], pass: number) => {
    for (const person of people) putOne(person, pass);
  });

  function removeOne({ number, document }: Known): void {
    removePerson.run(number);
    removeText.run(number, document);
  }

  function conditionsOf(question: Question, order?: Order, after?: Place): Condition[] {
    const { active, schemaId, verified, created, updated, lastSession } = question;
    const conditions: Condition[] = [];
    const add = (sql: string, ...values: Condition['values']): void => void conditions.push({ sql, values });
    const within = (column: string, { from, to }: Period = {}): void => {
      if (from !== undefined) add(`${column} >= ?`, from);
      if (to !== undefined) add(`${column} < ?`, to);
    };
    if (active !== undefined) add(active ? 'active <> 0' : 'active = 0');
    if (schemaId !== undefined) add('schema = ?', (schemaNumber.get(schemaId) as number | undefined) ?? -1);
    if (verified !== undefined) add(verified ? 'verified = 1' : 'verified <> 1');
    within('created', created);
    within('updated', updated);
    if (lastSession === 'none') add('last_session = 0');
    else if (lastSession !== undefined) {
      within('last_session', lastSession);
      add('last_session <> 0');
    }
    if (order !== undefined && after !== undefined) {
      const column = SORT_COLUMNS[order.by];
      add(`(${column}, id) ${order.descending ? '<' : '>'} (?, ?)`, after.value, bytesOf(after.id));
    }
    return conditions;
  }

  const statements = new Map<string, SqliteStatement>();
  const STATEMENTS = 256;
  function prepared(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? database.prepare<unknown[]>(sql);
    if (!statements.has(sql)) {
      if (statements.size >= STATEMENTS) statements.clear();
      statements.set(sql, statement);
    }
    return statement;
  }

  function inTime<T>(until: number, ask: () => T): T {
    deadline = until;
    ticks = 0;
    try {
      return ask();
    } finally {
      deadline = Number.POSITIVE_INFINITY;
    }
  }

  /** The narrowest way in: an index of which at most SORTED entries are wanted; undefined if each has more. */
  function wayIn(question: Question): string | undefined {
    const { active, schemaId, verified, created, updated, lastSession } = question;
    const ways: [index: string, wanted: Question][] = [];
    if (schemaId !== undefined) ways.push(['people_schema', { schemaId }]);
    if (active === false) ways.push(['people_state', { active }]);
    if (verified === false) ways.push(['people_verified', { verified }]);
    if (created !== undefined) ways.push(['people_created', { created }]);
    if (updated !== undefined) ways.push(['people_updated', { updated }]);
    if (lastSession !== undefined) ways.push(['people_last_session', { lastSession }]);
    return ways.find(([index, wanted]) => {
      const conditions = conditionsOf(wanted);
      const where = conditions.map(({ sql }) => sql).join(' and ');
      const sql = `select count(*) from (select 1 from people indexed by ${index} where ${where} limit ${SORTED + 1})`;
      const count = prepared(sql)
        .pluck()
        .get(...conditions.flatMap(({ values }) => values)) as number;
      return count <= SORTED;
    })?.[0];
  }

  const matches = database
    .prepare(`select count(*) from (select 1 from texts where texts match ? limit ${SORTED + 1})`)
    .pluck();
  const isFew = (phrase: string): boolean => (matches.get(phrase) as number) <= SORTED;

  /** From which rows to choose, and how the text is sought in them. */
  function source(question: Question, order?: Order): { from: string; text: Condition | undefined } {
    const { text } = question;
    const phrase = text === undefined ? undefined : phraseFor(text);
    if (phrase !== undefined && isFew(phrase))
      return {
        from: 'people',
        text: { sql: 'number in (select rowid from texts where texts match ?)', values: [phrase] },
      };
    const index = wayIn(question) ?? (order && `people_${order.by}`);
    return {
      from: index === undefined ? 'people' : `people indexed by ${index}`,
      // Where many have it, looking at each is faster than the full-text index.
      text: text === undefined ? undefined : { sql: 'instr(document, ?) > 0', values: [soughtFor(text)] },
    };
  }

  function where(conditions: readonly (Condition | undefined)[]): Condition {
    const all = conditions.filter((condition) => condition !== undefined);
    return {
      sql: ['in_time(number)', ...all.map(({ sql }) => sql)].join(' and '),
      values: all.flatMap(({ values }) => values),
    };
  }

  const count: PeopleIndex['count'] = (question, until, most) =>
    inTime(until, () => {
      const { from, text } = source(question);
      const { sql, values } = where([...conditionsOf(question), text]);
      const limit = most === undefined ? '' : ` limit ${most}`;
      return prepared(`select count(*) from (select 1 from ${from} where ${sql}${limit})`)
        .pluck()
        .get(...values) as number;
    });

  return {
    put(people, pass) {
      try {
        if (isFull(database)) return false;
        putAll(people, pass);
        return true;
      } catch (error) {
        known.clear();
        if ((error as { code?: string }).code === 'SQLITE_FULL') return false;
        throw error;
      }
    },
    remove: database.transaction((ids: readonly string[]) => {
      for (const id of ids) {
        const known = personBy.get(bytesOf(id)) as Known | undefined;
        if (known !== undefined) removeOne(known);
      }
    }),
    removeBefore(pass) {
      let removed = 0;
      for (;;) {
        const gone = outdated.all(pass) as Known[];
        if (gone.length === 0) return removed;
        database.transaction(() => {
          for (const known of gone) removeOne(known);
        })();
        removed += gone.length;
      }
    },
    size: () => size.get() as number,
    count,
    page(question, order, rows, after, until) {
      const column = SORT_COLUMNS[order.by];
      const direction = order.descending ? 'desc' : 'asc';
      return inTime(until, () => {
        const { from, text } = source(question, order);
        const { sql, values } = where([...conditionsOf(question, order, after), text]);
        const found = prepared(
          `select id, last_session as lastSession, ${column} as value from ${from} where ${sql}
           order by ${column} ${direction}, id ${direction} limit ${rows + 1}`,
        ).all(...values) as Row[];
        const last = found.length > rows ? found[rows - 1] : undefined;
        return {
          people: found.slice(0, rows).map(({ id, lastSession }) => ({ id: uuidOf(id), lastSession })),
          next: last && { value: last.value, id: uuidOf(last.id) },
        };
      });
    },
    numbers() {
      const byVerified = database.prepare('select verified, count(*) as count from people group by verified').all() as {
        verified: number;
        count: number;
      }[];
      const verified = (state: number): number => byVerified.find((row) => row.verified === state)?.count ?? 0;
      return {
        people: byVerified.reduce((sum, row) => sum + row.count, 0),
        verifiable: verified(VERIFIED.true) + verified(VERIFIED.false),
        verified: verified(VERIFIED.true),
        bySchema: database
          .prepare(
            `select schemas.id as schemaId, count(*) as count from people join schemas on schemas.number = people.schema
             group by people.schema`,
          )
          .all() as PeopleNumbers['bySchema'],
        quarters: database
          .prepare(
            `select created / ${QUARTER_MS} as quarter, count(*) as count from people indexed by people_created
             where created > 0 group by quarter`,
          )
          .all() as Quarters,
      };
    },
    ids: (question, until, most) =>
      inTime(until, () => {
        const { from, text } = source(question);
        const { sql, values } = where([...conditionsOf(question), text]);
        const found = prepared(`select id from ${from} where ${sql} limit ${most}`)
          .pluck()
          .all(...values) as Buffer[];
        return found.map(uuidOf).sort();
      }),
  };
}
