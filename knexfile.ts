import { environment } from './server/config/variables.ts';
import { parseDatabaseUrl } from './server/db/database-address.ts';
import { knexOptions } from './server/db/knex.ts';
import { KNEX_MIGRATIONS } from './server/db/migrations.ts';

const { DATABASE_URL, DEPLOYMENT = 'customer' } = environment();

/** For knex' command line, which does not know the service's lock; the service runs migrations itself. */
export default {
  ...knexOptions(parseDatabaseUrl(DATABASE_URL || `sqlite:./data/${DEPLOYMENT}.sqlite`), {
    warn: (_fields, message) => process.stderr.write(`${message}\n`),
  }),
  migrations: KNEX_MIGRATIONS,
};
