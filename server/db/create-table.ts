import type { Knex } from 'knex';

/** Column types that mean the same on SQLite and on MySQL. */
export interface ColumnTypes {
  /** Text that is compared and sorted byte for byte: case, accents and trailing blanks tell apart. At most `bytes` bytes of UTF-8. */
  exact(bytes: number): string;
  /** Long text that is only stored: up to 16 MiB. */
  long: string;
  /** A whole number up to 2^53. */
  integer: string;
}

const SQLITE: ColumnTypes = { exact: () => 'text', long: 'text', integer: 'integer' };

/** MySQL's collations ignore case, accents or trailing blanks: such text is kept as its bytes. */
const MYSQL: ColumnTypes = {
  exact: (bytes) => `varbinary(${bytes})`,
  long: 'mediumtext character set utf8mb4 collate utf8mb4_bin',
  integer: 'bigint',
};

export const isMysql = (knex: Knex): boolean => knex.client.driverName === 'mysql2';

export const typesOf = (knex: Knex): ColumnTypes => (isMysql(knex) ? MYSQL : SQLITE);

/**
 * Creates a table unless it is there: a migration that was interrupted on MySQL, where each change stands by itself, can run again.
 * @param columns their definitions in SQL
 * @param indexes name of the index → columns
 */
export async function createTable(
  knex: Knex,
  name: string,
  columns: (types: ColumnTypes) => string[],
  indexes: Record<string, string> = {},
): Promise<void> {
  const mysql = isMysql(knex);
  const lines = columns(typesOf(knex));
  if (mysql) lines.push(...Object.entries(indexes).map(([index, on]) => `index ${index} (${on})`));
  const options = mysql ? 'engine = InnoDB default character set utf8mb4 collate utf8mb4_bin' : '';
  await knex.raw(`create table if not exists ${name} (${lines.join(', ')}) ${options}`);
  if (mysql) return;
  for (const [index, on] of Object.entries(indexes))
    await knex.raw(`create index if not exists ${index} on ${name} (${on})`);
}

/** The one row of a table that holds a counter; left alone when it is there. */
export async function insertFirstRow(knex: Knex, table: string, row: Record<string, string | number>): Promise<void> {
  await knex(table).insert(row).onConflict('id').ignore();
}
