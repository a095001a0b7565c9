import type { Knex } from 'knex';

/** Column types with the same meaning on SQLite and MySQL. */
export interface ColumnTypes {
  /**
   * Text compared and sorted byte for byte, so that case, accents and trailing spaces matter. At most `bytes` bytes of
   * UTF-8.
   */
  exact(bytes: number): string;
  /** Long text that is never compared: up to 16 MiB. */
  long: string;
  /** An integer up to 2^53. */
  integer: string;
}

const SQLITE: ColumnTypes = { exact: () => 'text', long: 'text', integer: 'integer' };

/** MySQL's collations ignore case, accents or trailing spaces, so such text is stored as bytes. */
const MYSQL: ColumnTypes = {
  exact: (bytes) => `varbinary(${bytes})`,
  long: 'mediumtext character set utf8mb4 collate utf8mb4_bin',
  integer: 'bigint',
};

const isMysql = (knex: Knex): boolean => knex.client.driverName === 'mysql2';

/**
 * A migration that creates a table if it does not exist: MySQL commits every statement, so an interrupted migration is
 * run again.
 * @param columns definitions in SQL
 * @param options.indexes index name → columns
 * @param options.firstRow the single row of a counter table
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
