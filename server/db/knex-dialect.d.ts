/** knex ships no types for the dialect. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  // biome-ignore lint/style/noDefaultExport: it describes how knex exports it
  export default class BetterSqlite3Client extends Knex.Client {
    _driver(): unknown;
  }
}
