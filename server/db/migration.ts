import type { Knex } from 'knex';

/** Column types with the same meaning on SQLite and MySQL. */
interface ColumnTypes {
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
 * Creates a table if it does not exist: MySQL commits every statement, so an interrupted migration is run again.
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
      const engine = 'engine = InnoDB row_format = dynamic default character set utf8mb4 collate utf8mb4_bin';
      await knex.raw(`create table if not exists ${table} (${lines.join(', ')}) ${engine}`);
    } else {
      await knex.raw(`create table if not exists ${table} (${columns(SQLITE).join(', ')})`);
      for (const [name, on] of indexes) await knex.raw(`create index if not exists ${name} on ${table} (${on})`);
    }
    if (options.firstRow !== undefined) await knex(table).insert(options.firstRow).onConflict('id').ignore();
  },
  down: (knex) => knex.schema.dropTableIfExists(table),
});

export type NamedMigration = Knex.Migration & { name: string };

export const creating = (name: string, ...creation: Parameters<typeof creationOf>): NamedMigration => ({
  name,
  ...creationOf(...creation),
});

/** Adds a column, which is nullable, since earlier releases write rows without it. MySQL knows no `if not exists` here. */
export const adding = (
  name: string,
  table: string,
  column: string,
  type: (types: ColumnTypes) => string,
): NamedMigration => ({
  name,
  async up(knex) {
    if (await knex.schema.hasColumn(table, column)) return;
    await knex.raw(`alter table ${table} add column ${column} ${type(isMysql(knex) ? MYSQL : SQLITE)}`);
  },
  down: (knex) => knex.raw(`alter table ${table} drop column ${column}`),
});
