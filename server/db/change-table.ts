import type { Knex } from 'knex';
import type { ColumnTypes } from './create-table.ts';
import { isMysql, typesOf } from './create-table.ts';

/**
 * Adds a column that may be null, unless it is there: on MySQL each change stands by itself, and a migration that was
 * interrupted runs again.
 */
export async function addColumn(
  knex: Knex,
  table: string,
  column: string,
  type: (types: ColumnTypes) => string,
): Promise<void> {
  if (await knex.schema.hasColumn(table, column)) return;
  await knex.raw(`alter table ${table} add column ${column} ${type(typesOf(knex))}`);
}

/** @param indexes name of the index → columns; those that are there are left alone */
export async function addIndexes(knex: Knex, table: string, indexes: Record<string, string>): Promise<void> {
  for (const [name, columns] of Object.entries(indexes))
    if (!(await hasIndex(knex, table, name))) await knex.raw(`create index ${name} on ${table} (${columns})`);
}

/** Those that are gone already are left alone. */
export async function dropIndexes(knex: Knex, table: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    if (await hasIndex(knex, table, name)) await knex.raw(`drop index ${name}${isMysql(knex) ? ` on ${table}` : ''}`);
}

async function hasIndex(knex: Knex, table: string, name: string): Promise<boolean> {
  const found = isMysql(knex)
    ? knex('information_schema.statistics')
        .where({ table_name: table, index_name: name })
        .where('table_schema', knex.raw('database()'))
    : knex('sqlite_master').where({ type: 'index', name });
  return (await found.first(knex.raw('1 as present'))) !== undefined;
}
