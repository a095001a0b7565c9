import { readFileSync } from 'node:fs';
import type { Database } from '../../server/db/database.ts';

/** What earlier releases left. */
export const RELEASES = ['0.1.0', '0.2.0'] as const;

/** Fills an empty database with what a release left in one of its kind. */
export async function restoreDump(release: (typeof RELEASES)[number], { client, knex }: Database): Promise<void> {
  const dump = readFileSync(new URL(`../fixtures/databases/${release}.${client}.sql`, import.meta.url), 'utf8');
  for (const statement of dump.split(/;\n/).filter(Boolean)) await knex.raw(statement);
}

/** How each table and index is defined, in SQL; knex' own apart. */
export async function schemaOf({ client, knex }: Database): Promise<Record<string, string>> {
  if (client === 'sqlite') {
    const rows = await knex('sqlite_master').whereNotNull('sql').select<{ name: string; sql: string }[]>('name', 'sql');
    return Object.fromEntries(rows.filter(({ name }) => isOurs(name)).map(({ name, sql }) => [name, sql]));
  }
  const schema: Record<string, string> = {};
  for (const table of await tablesOf({ client, knex })) {
    const [[row]] = await knex.raw('show create table ??', [table]);
    // Indexes stand in the order in which they were made.
    schema[table] = row['Create Table'].replaceAll(',\n', '\n').split('\n').sort().join('\n');
  }
  return schema;
}

/** All rows of all tables, and the migrations that ran. */
export async function rowsOf(database: Pick<Database, 'client' | 'knex'>): Promise<Record<string, unknown[]>> {
  const tables = [...(await tablesOf(database)), 'knex_migrations'];
  return Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await database.knex(table).orderBy(1)])),
  );
}

async function tablesOf({ client, knex }: Pick<Database, 'client' | 'knex'>): Promise<string[]> {
  const names: string[] =
    client === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'table' }).pluck('name')
      : (await knex.raw('show tables'))[0].flatMap(Object.values);
  return names.filter(isOurs);
}

const isOurs = (name: string): boolean => !/^(?:knex|sqlite)_/.test(name);
