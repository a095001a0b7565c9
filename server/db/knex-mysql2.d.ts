/** What `client: 'mysql2'` stands for; knex has no types for it. */
declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Knex } from 'knex';

  const Client: typeof Knex.Client;
  export = Client;
}
