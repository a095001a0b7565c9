import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { MysqlServer } from '../db/database-address.ts';
import { migrationState } from '../db/migration-state.ts';
import { withoutDriverText } from '../db/not-ready.ts';
import type { Storage } from '../deps/storage.ts';
import { write } from './env-file.ts';
import { type Found, SetupFailed, type Step } from './step.ts';

/** The server responds, and this user or database does not exist yet. */
const TO_CREATE = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
]);

/** The database, its user and its tables. @param sqlFile where the SQL for an administrator of the server is written */
export const databaseStep = (config: Config, storage: Storage, sqlFile: string): Step => ({
  title: 'Database',
  async look(): Promise<Found> {
    const { database: address } = config;
    const apply = async (): Promise<readonly string[]> => {
      await storage.prepare();
      return [];
    };
    if (address.client === 'sqlite' && !existsSync(address.path))
      return { state: 'todo', text: 'Create the database file with its tables', apply };
    try {
      await storage.database.ping();
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? '');
      if (address.client !== 'mysql' || !TO_CREATE.has(code))
        throw new SetupFailed((withoutDriverText(error) as Error).message);
      return createdByHand(address.server, sqlFile);
    }
    const { missing } = await migrationState(storage.database);
    if (missing.length === 0) return { state: 'done', text: 'It has the tables of this release.' };
    return { state: 'todo', text: `Create or change its tables: ${missing.length} migrations`, apply };
  },
});

function createdByHand({ user, password, database: name }: MysqlServer, sqlFile: string): Found {
  const sql = `create database if not exists ${identifier(name)} character set utf8mb4;
create user ${text(user)}@'%' identified by ${text(password)};
-- The last four are for migrations: leave them out with MIGRATIONS=wait, and run “migrate” as another user.
grant select, insert, update, delete, create, alter, index, drop on ${identifier(name.replace(/[\\_%]/g, '\\$&'))}.* to ${text(user)}@'%';
`;
  return {
    state: 'by_hand',
    prepare: () => write(sqlFile, sql),
    text: 'The server does not know this user or this database.',
    lines: [
      `As an administrator of the server, run ${sqlFile}, which holds the password; then delete it:`,
      `  mariadb -u root -p < ${sqlFile} && rm ${sqlFile}`,
    ],
  };
}

const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
