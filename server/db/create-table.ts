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

const isMysql = (knex: Knex): boolean => knex.client.driverName === 'mysql2';

/**
 * The migration that creates a table. It may run again: on MySQL, where each change stands by itself, it can have been
 * interrupted.
 * @param columns their definitions in SQL
 * @param options.indexes name of the index → columns
 * @param options.firstRow the one row of a table that holds a counter
 */
export const creationOf = (
  table: string,
  columns: (types: ColumnTypes) => string[],
  options: { indexes?: Record<string, string>; firstRow?: Record<string, string | number> } = {},
): Knex.Migration => ({
  async up(knex) {
    const indexes = Object.entries(options.indexes ?? {});
    if (isMysql(knex)) {
      const lines = [...columns(MYSQL), ...indexes.map(([name, on]) => `index ${name} (${on})`)];
      const engine = 'engine = InnoDB default character set utf8mb4 collate utf8mb4_bin';
      await knex.raw(`create table if not exists ${table} (${lines.join(', ')}) ${engine}`);
    } else {
      await knex.raw(`create table if not exists ${table} (${columns(SQLITE).join(', ')})`);
      for (const [name, on] of indexes) await knex.raw(`create index if not exists ${name} on ${table} (${on})`);
    }
    if (options.firstRow !== undefined) await knex(table).insert(options.firstRow).onConflict('id').ignore();
  },
  down: (knex) => knex.schema.dropTableIfExists(table),
});
