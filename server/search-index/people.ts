import type { PersonEntry } from '../../shared/identities.ts';
import { type IndexDatabase, isFull } from './database.ts';
import { bytesOf, documentOf, QUARTER_MS, type Quarters, trigramsOf, uuidOf } from './full-text.ts';

/** People in the index, as the passes write them; `people-search.ts` finds them. */
export interface PeopleIndex {
  /**
   * Adds people or replaces what is known of them.
   * @returns false if the index is full; then some of them may be missing
   */
  put(people: readonly PersonEntry[], pass: number): boolean;
  remove(ids: readonly string[]): void;
  /**
   * Removes who was not put since `pass`, in slices that are soon done.
   * @param after where the slice before ended, 0 at first
   * @returns where this one ended; undefined if it was the last
   */
  removeBefore(pass: number, after: number): number | undefined;
  /** Those of these that are not in it. */
  unknown(ids: readonly string[]): string[];
  /** Whether somebody is found by the whole of this word. */
  hasWord(word: string): boolean;
  /** People with an operator's role, by id, at most `most`. @param schemas undefined for those of any schema */
  withRole(schemas: readonly string[] | undefined, most: number): PersonWithRole[];
  size(): number;
  numbers(): PeopleNumbers;
}

export interface PersonWithRole {
  id: string;
  role: string;
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

/** `people.verified` */
export const VERIFIED = { true: 1, false: 0, none: 2 } as const;
interface Known {
  number: number;
  document: string;
}
/** How many rows a slice of a removal looks at, and how many it removes: each takes some 20 milliseconds. */
const LOOKED_AT_ONCE = 5_000;
const REMOVED_AT_ONCE = 100;

export function peopleIndex(database: IndexDatabase): PeopleIndex {
  const schemaNumber = database.prepare('select number from schemas where id = ?').pluck();
  const addSchema = database.prepare('insert into schemas (id) values (?)');
  const personBy = database.prepare('select number, document from people where id = ?');
  const addPerson = database.prepare(
    `insert into people (id, schema, active, verified, created, updated, identifier, role, pass, document, last_session)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
       coalesce((select max(authenticated) from sessions where sessions.person = ?), 0))`,
  );
  const changePerson = database.prepare(
    `update people set schema = ?, active = ?, verified = ?, created = ?, updated = ?, identifier = ?, role = ?, pass = ?,
     document = ? where number = ?`,
  );
  const removePerson = database.prepare('delete from people where number = ?');
  const addText = database.prepare('insert into texts (rowid, document) values (?, ?)');
  const removeText = database.prepare("insert into texts (texts, rowid, document) values ('delete', ?, ?)");
  const outdated = database.prepare(
    `select number, document from people where number > ? and number <= ? and pass < ? order by number
     limit ${REMOVED_AT_ONCE}`,
  );
  const last = database.prepare('select max(number) from people').pluck();
  const size = database.prepare('select count(*) from people').pluck();
  const withWord = database
    .prepare(
      `select exists (select 1 from people where number in (select rowid from texts where texts match ?)
         and instr(document || ?, ?) > 0)`,
    )
    .pluck();
  const withRole = database.prepare(
    `select people.id as id, role from people indexed by people_role join schemas on schemas.number = people.schema
     where role <> '' and (? or schemas.id in (select value from json_each(?))) order by people.id limit ?`,
  );
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
    const { active, verified, createdAt, updatedAt, identifier, role } = person;
    const document = documentOf(person.words);
    const schema = numberOf(person.schemaId);
    const fields = [schema, Number(active), VERIFIED[`${verified ?? 'none'}`], createdAt, updatedAt, identifier, role];
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
    removeBefore: database.transaction((pass: number, after: number) => {
      const end = after + LOOKED_AT_ONCE;
      const gone = outdated.all(after, end, pass) as Known[];
      for (const known of gone) removeOne(known);
      if (gone.length === REMOVED_AT_ONCE) return gone.at(-1)?.number;
      return end < ((last.get() as number | null) ?? 0) ? end : undefined;
    }),
    unknown: (ids) => ids.filter((id) => personBy.get(bytesOf(id)) === undefined),
    hasWord(word) {
      const sought = documentOf([word]);
      return withWord.get(trigramsOf([sought]), documentOf(['']), documentOf([word, ''])) === 1;
    },
    withRole: (schemas, most) =>
      (
        withRole.all(Number(schemas === undefined), JSON.stringify(schemas ?? []), most) as {
          id: Buffer;
          role: string;
        }[]
      ).map(({ id, role }) => ({
        id: uuidOf(id),
        role,
      })),
    size: () => size.get() as number,
    numbers() {
      // By the indexes alone: the rows themselves are the most of a large file.
      const people = size.get() as number;
      const notVerified = database
        .prepare(
          `select verified, count(*) as count from people indexed by people_verified where verified <> ${VERIFIED.true}
           group by verified`,
        )
        .all() as { verified: number; count: number }[];
      const counted = (state: number): number => notVerified.find((row) => row.verified === state)?.count ?? 0;
      const verifiable = people - counted(VERIFIED.none);
      return {
        people,
        verifiable,
        verified: verifiable - counted(VERIFIED.false),
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
  };
}
