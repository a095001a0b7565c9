import { existsSync } from 'node:fs';
import { membersOf } from '../../shared/json.ts';
import { apiKeySetting, isBearerKey, UPSTREAMS, type UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { secretIn } from '../config/variables.ts';
import type { Storage } from '../context.ts';
import type { MysqlServer } from '../db/database-address.ts';
import { withoutDriverText } from '../db/errors.ts';
import { migrationState } from '../db/migrate.ts';
import { dashboardClient } from '../registration.ts';
import type { AdminApi } from './admin-api.ts';
import { writeUnlessThere } from './env-file.ts';
import { clientDeviations } from './sign-in.ts';
import { type Found, SetupFailed, type Step } from './step.ts';

/** Errors of a server on which the user or the database does not exist yet. */
const TO_CREATE = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_BAD_DB_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
]);

/**
 * Sets up the database, its user and its tables.
 * @param sqlFile where the SQL for an administrator of the server is written
 */
export const databaseStep = ({ database: address }: Config, storage: Storage, sqlFile: string): Step => ({
  title: 'Database',
  async look() {
    const apply = () => storage.prepare().then(() => undefined);
    if (address.client === 'sqlite' && !existsSync(address.path))
      return { state: 'to do', text: 'Create the database file with its tables', apply };
    try {
      await storage.database.ping();
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? '');
      if (address.client !== 'mysql' || !TO_CREATE.has(code))
        throw new SetupFailed((withoutDriverText(error) as Error).message);
      return createdByHand(address.server, error as Error, sqlFile);
    }
    const { missing } = await migrationState(storage.database);
    if (missing.length === 0) return { state: 'ok', text: 'It has the tables of this release.' };
    return { state: 'to do', text: `Create or change its tables: ${missing.length} migrations`, apply };
  },
});

/** @param error of the connection */
function createdByHand(
  { user: account, password: secret, database: name }: MysqlServer,
  error: { code?: unknown; message?: string },
  sqlFile: string,
): Found {
  // The error message contains our host as the server sees it, or the host of the account if the user exists.
  const [, host = '%'] = /'@'([^']+)'/.exec(error.message ?? '') ?? [];
  const user = `${text(account)}@${text(host)}`;
  const statements = [`create database if not exists ${identifier(name)} character set utf8mb4;`];
  if (!USER_EXISTS.has(String(error.code)))
    statements.push(
      `create user if not exists ${user} identified by ${text(secret)};`,
      '-- If the user exists, this sets its password to the one in DATABASE_URL.',
      `alter user ${user} identified by ${text(secret)};`,
    );
  if (error.code !== 'ER_BAD_DB_ERROR')
    statements.push(
      '-- The last four rights are for migrations: omit them with MIGRATIONS=wait, and run “migrate” as another user.',
      `grant select, insert, update, delete, create, alter, index, drop on ${identifier(name.replace(/[\\_%]/g, '\\$&'))}.* to ${user};`,
    );
  const onlyFrom = host === '%' ? [] : [`It allows connections from ${host} only: change that if others must connect.`];
  return {
    state: 'by hand',
    apply: async () => writeUnlessThere(sqlFile, `${statements.join('\n')}\n`),
    text: 'This user or this database does not exist on the server.',
    lines: [
      `As an administrator of the server, run ${sqlFile}, which may contain the password; then delete it:`,
      `  mariadb -u root -p < ${sqlFile} && rm ${sqlFile}`,
      ...onlyFrom,
    ],
  };
}

/** Errors after the user has signed in. */
const USER_EXISTS = new Set(['ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);
const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Keys of admin APIs as given on the command line, by upstream. */
export type GivenKeys = ReadonlyMap<UpstreamName, string>;

/** @param given `NAME=FILE` of each `--key` @throws SetupFailed */
export function readKeys(given: readonly string[]): GivenKeys {
  const admins = UPSTREAMS.filter(({ admin }) => admin).map(({ name }) => name);
  return new Map(
    given.map((argument) => {
      const [, name = '', path = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
      const upstream = admins.find((admin) => admin === name);
      if (upstream === undefined)
        throw new SetupFailed(`--key must be NAME=FILE, where NAME is one of ${admins.join(', ')}.`);
      const { text, problem } = secretIn(path);
      if (text === undefined) throw new SetupFailed(`--key ${name} ${problem}.`);
      if (!isBearerKey(text))
        throw new SetupFailed(`--key ${name} must name a file that contains only printable ASCII without spaces.`);
      return [upstream, text];
    }),
  );
}

/** Stores each key as a setting, unless it is already stored. */
export const keySteps = (keys: GivenKeys, { settings, vault }: Storage, hasTables: () => Promise<boolean>): Step[] =>
  [...keys].map(([name, value]) => ({
    title: `Key of ${name}`,
    async look() {
      const key = apiKeySetting(name);
      const stored = (await hasTables()) ? await settings.get(key).catch(() => undefined) : undefined;
      if (stored?.encrypted === true && stored.value === value) return { state: 'ok', text: `It is stored as ${key}.` };
      return {
        state: 'to do',
        text: `Store it as ${key}, ${stored === undefined ? 'encrypted' : 'replacing another'}`,
        apply: () => vault.put({ key, value, encrypted: true }, 'command-line').then(() => undefined),
      };
    },
  }));

/** Creates the dashboard's public client at Hydra, or changes the members that differ; other members stay unchanged. */
export const oauthClientStep = ({ auth, baseUrl }: Pick<Config, 'auth' | 'baseUrl'>, api: AdminApi): Step => ({
  title: 'OAuth 2.0 client',
  async look() {
    const wanted = dashboardClient(auth.clientId, baseUrl);
    const path = `/admin/clients/${encodeURIComponent(auth.clientId)}`;
    const found = await api.read(path);
    const send = async (method: 'POST' | 'PUT', to: string, body: object, success: number): Promise<undefined> => {
      const { status } = await api.write(method, to, body);
      if (status === success) return;
      throw new SetupFailed(
        status === 409
          ? 'The client was created in the meantime: run this again.'
          : `${auth.oauthAdmin.urlVariable} responds with ${status}.`,
      );
    };
    if (found === undefined)
      return {
        state: 'to do',
        text: `Create the client ${auth.clientId}`,
        apply: () => send('POST', '/admin/clients', wanted, 201),
      };
    const present = membersOf(found);
    const correct: Record<string, unknown> = { ...wanted, userinfo_signed_response_alg: 'none' };
    const differing = new Set(clientDeviations(present, wanted).map(({ member }) => member));
    if (differing.size === 0) return { state: 'ok', text: `The client ${auth.clientId} is configured correctly.` };
    const changes = Object.fromEntries([...differing].map((name) => [name, correct[name]]));
    return {
      state: 'to do',
      text: `Change the client ${auth.clientId}`,
      lines: [...differing].map(
        (name) => `${name}: ${JSON.stringify(present[name] ?? null)} → ${JSON.stringify(correct[name])}`,
      ),
      // What differs comes first, since the audit record lists only the first members.
      apply: () => send('PUT', path, { ...changes, ...present, ...changes }, 200),
    };
  },
});
