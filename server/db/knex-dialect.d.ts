/** knex ships the dialect without types of its own. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex';

  // biome-ignore lint/style/noDefaultExport: it describes how knex exports it
  export default class BetterSqlite3Client extends Knex.Client {
    _driver(): unknown;
  }
}
