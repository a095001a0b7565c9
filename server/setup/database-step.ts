import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { MysqlServer } from '../db/database-address.ts';
import { migrationState } from '../db/migration-state.ts';
import { withoutDriverText } from '../db/not-ready.ts';
import type { Storage } from '../deps/storage.ts';
import { writeUnlessThere } from './env-file.ts';
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
      return createdByHand(address.server, error as Error, sqlFile);
    }
    const { missing } = await migrationState(storage.database);
    if (missing.length === 0) return { state: 'done', text: 'It has the tables of this release.' };
    return { state: 'todo', text: `Create or change its tables: ${missing.length} migrations`, apply };
  },
});

/** @param error of the connection */
function createdByHand(
  { user: account, password: secret, database: name }: MysqlServer,
  error: { code?: unknown; message?: string },
  sqlFile: string,
): Found {
  // As the server knows it: of a user that exists it is the host of its account.
  const [, host = '%'] = /'@'([^']+)'/.exec(error.message ?? '') ?? [];
  const user = `${text(account)}@${text(host)}`;
  const statements = [`create database if not exists ${identifier(name)} character set utf8mb4;`];
  if (!IS_KNOWN.has(String(error.code)))
    statements.push(
      `create user if not exists ${user} identified by ${text(secret)};`,
      '-- For a user that was there: its password becomes the one in DATABASE_URL.',
      `alter user ${user} identified by ${text(secret)};`,
    );
  if (error.code !== 'ER_BAD_DB_ERROR')
    statements.push(
      '-- The last four are for migrations: leave them out with MIGRATIONS=wait, and run “migrate” as another user.',
      `grant select, insert, update, delete, create, alter, index, drop on ${identifier(name.replace(/[\\_%]/g, '\\$&'))}.* to ${user};`,
    );
  const onlyFrom = host === '%' ? [] : [`It is for connections from ${host}: change that, if others are to come, too.`];
  return {
    state: 'by_hand',
    prepare: () => writeUnlessThere(sqlFile, `${statements.join('\n')}\n`),
    text: 'The server does not know this user or this database.',
    lines: [
      `As an administrator of the server, run ${sqlFile}, which may hold the password; then delete it:`,
      `  mariadb -u root -p < ${sqlFile} && rm ${sqlFile}`,
      ...onlyFrom,
    ],
  };
}

/** The user has signed in. */
const IS_KNOWN = new Set(['ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);
const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
