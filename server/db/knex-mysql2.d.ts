/** The class behind `client: 'mysql2'`, for which knex has no types. */
declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Knex } from 'knex';

  const Client: typeof Knex.Client;
  export = Client;
}
