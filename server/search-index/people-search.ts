import type { Statement } from 'better-sqlite3';
import type { ListedIdentity } from '../../shared/identities.ts';
import { fits, type Period, type PersonQuestion, personEntry } from '../../shared/identities.ts';
import { membersOf } from '../../shared/json.ts';
import type { IndexDatabase, TimeLimit } from './database.ts';
import {
  bytesOf,
  isInDocument,
  type Order,
  type Place,
  type Question,
  soughtFor,
  trigramsOf,
  uuidOf,
} from './full-text.ts';

/** A row of a page of identities. */
export interface ListedPerson {
  id: string;
  schemaId: string;
  /** The JSON of exactly the five fields of docs/api.md#identities, whatever else the store returns. */
  json: string;
  /** Whether it fits the filter. */
  isMatch: boolean;
}

/** What rows must fit: the question of a search, or the prefix of one of their identifiers. */
export interface RowFilter {
  question?: PersonQuestion | undefined;
  prefix?: string | undefined;
}

/** @param page the JSON of a list, as the store sent it. @throws SyntaxError */
export function listedPeople(page: string, { question, prefix }: RowFilter): ListedPerson[] {
  const list: unknown = JSON.parse(page);
  if (!Array.isArray(list)) throw new SyntaxError('not a list');
  return list.map((identity): ListedPerson => {
    const { id, schema_id: schemaId, traits, state, created_at, updated_at } = membersOf(identity);
    if (typeof id !== 'string') throw new SyntaxError('not an identity');
    const entry = question && personEntry(identity);
    const listed: ListedIdentity = {
      id,
      traits: membersOf(traits),
      state: String(state ?? ''),
      created_at: String(created_at ?? ''),
      updated_at: String(updated_at ?? ''),
    };
    return {
      id: id.toLowerCase(),
      schemaId: typeof schemaId === 'string' ? schemaId : '',
      json: JSON.stringify(listed),
      isMatch:
        (question === undefined || (entry !== undefined && fits(entry, question))) &&
        (prefix === undefined || hasIdentifierLike(identity, prefix)),
    };
  });
}

/** An object whose first member is the list of these rows: what is parsed elsewhere is not made JSON again here. */
export const pageOf = (rows: readonly string[], rest: object): string =>
  joined(`{"identities":[${rows.join(',')}]}`, rest);

/** The JSON of an object with more members. */
export const joined = (json: string, more: object): string => `${json.slice(0, -1)},${JSON.stringify(more).slice(1)}`;

/** Whether one of its identifiers has the prefix. The store trims and lower-cases the prefix. */
function hasIdentifierLike(identity: unknown, prefix: string): boolean {
  const beginning = folded(prefix);
  return Object.values(membersOf(membersOf(identity)['credentials'])).some((credential) => {
    const { identifiers } = membersOf(credential);
    return Array.isArray(identifiers) && identifiers.some((one) => folded(String(one)).startsWith(beginning));
  });
}

const folded = (text: string): string => text.trim().toLowerCase();

export interface FoundPeople {
  people: { id: string; lastSession: number }[];
  /** The place of the last row; undefined if there are no more rows. */
  next: Place | undefined;
}

/** Questions about the people in the index, each answered in one turn. */
export interface PeopleSearch {
  /** @throws TooLong */
  page(question: Question, order: Order, size: number, after: Place | undefined, deadline: number): FoundPeople;
  /** @param most stop there. @throws TooLong */
  count(question: Question, deadline: number, most?: number): number;
  /** All of them by id. @throws TooLong */
  ids(question: Question, deadline: number, most: number): string[];
}

/** Up to so many rows found by a text or a narrow filter are sorted; more are met in the order's own index. */
const SORTED = 10_000;

const SORT_COLUMNS = { created: 'created', updated: 'updated', identifier: 'identifier', last_session: 'last_session' };

type SqliteStatement = Statement<unknown[]>;

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

export function peopleSearch(database: IndexDatabase, { within: inTime }: TimeLimit): PeopleSearch {
  const schemaNumber = database.prepare('select number from schemas where id = ?').pluck();

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
      if (lastSession.orNone !== true) add('last_session <> 0');
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
  const isFew = (trigrams: string): boolean => (matches.get(trigrams) as number) <= SORTED;

  /** From which rows to choose, and how the text is sought in them. */
  function source(question: Question, order?: Order): { from: string; text: Condition | undefined } {
    const sought = question.words === undefined ? undefined : soughtFor(question.words);
    if (sought !== undefined && isFew(trigramsOf(sought)))
      return {
        from: 'people',
        text: {
          sql: `number in (select rowid from texts where texts match ?) and ${isInDocument(sought)}`,
          values: [trigramsOf(sought), ...sought],
        },
      };
    const index = wayIn(question) ?? (order && `people_${order.by}`);
    return {
      from: index === undefined ? 'people' : `people indexed by ${index}`,
      // Where many have it, looking at each is faster than the full-text index.
      text: sought === undefined ? undefined : { sql: isInDocument(sought), values: [...sought] },
    };
  }

  function where(conditions: readonly (Condition | undefined)[]): Condition {
    const all = conditions.filter((condition) => condition !== undefined);
    return {
      sql: ['in_time(number)', ...all.map(({ sql }) => sql)].join(' and '),
      values: all.flatMap(({ values }) => values),
    };
  }

  const count: PeopleSearch['count'] = (question, until, most) =>
    inTime(until, () => {
      const { from, text } = source(question);
      const { sql, values } = where([...conditionsOf(question), text]);
      const limit = most === undefined ? '' : ` limit ${most}`;
      return prepared(`select count(*) from (select 1 from ${from} where ${sql}${limit})`)
        .pluck()
        .get(...values) as number;
    });

  return {
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
