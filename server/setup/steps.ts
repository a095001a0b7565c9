import { existsSync } from 'node:fs';
import { membersOf, texts } from '../../shared/json.ts';
import { apiKeySetting, isBearerKey, UPSTREAMS, type UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { secretIn } from '../config/variables.ts';
import type { Storage } from '../context.ts';
import type { MysqlServer } from '../db/database-address.ts';
import { withoutDriverText } from '../db/errors.ts';
import { migrationState } from '../db/migrate.ts';
import { dashboardClient, SCOPES } from '../platform.ts';
import type { AdminApi } from './admin-api.ts';
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

/** Keys of admin APIs as given on the command line, by upstream. */
export type GivenKeys = ReadonlyMap<UpstreamName, string>;

/** @param given `NAME=FILE` of each `--key` @throws SetupFailed */
export function readKeys(given: readonly string[]): GivenKeys {
  const admins = UPSTREAMS.filter(({ admin }) => admin).map(({ name }) => name);
  return new Map(
    given.map((argument) => {
      const [, name = '', path = ''] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
      const upstream = admins.find((admin) => admin === name);
      if (upstream === undefined) throw new SetupFailed(`--key must be NAME=FILE, with one of ${admins.join(', ')}.`);
      const { text, problem } = secretIn(path);
      if (text === undefined) throw new SetupFailed(`--key ${name} ${problem}.`);
      if (!isBearerKey(text)) throw new SetupFailed(`--key ${name} must hold printable ASCII without spaces.`);
      return [upstream, text];
    }),
  );
}

/** Stores each key as the setting that the dashboard reads, unless it is there. */
export const keySteps = (keys: GivenKeys, { settings, vault }: Storage, hasTables: () => Promise<boolean>): Step[] =>
  [...keys].map(([name, value]) => ({
    title: `Key of ${name}`,
    async look(): Promise<Found> {
      const key = apiKeySetting(name);
      const stored = (await hasTables()) ? await settings.get(key).catch(() => undefined) : undefined;
      if (stored?.encrypted === true && stored.value === value)
        return { state: 'done', text: `It is stored as ${key}.` };
      const apply = async (): Promise<readonly string[]> => {
        await vault.put({ key, value, encrypted: true }, 'command-line');
        return [];
      };
      return {
        state: 'todo',
        text: `Store it as ${key}, ${stored === undefined ? 'encrypted' : 'instead of another'}`,
        apply,
      };
    },
  }));

const PATH = '/admin/clients';
type Client = ReturnType<typeof dashboardClient>;

/** The dashboard's public client at Hydra: created, or changed where it differs; other members stay as they are. */
export const oauthClientStep = ({ auth, baseUrl }: Pick<Config, 'auth' | 'baseUrl'>, api: AdminApi): Step => ({
  title: 'OAuth 2.0 client',
  async look(): Promise<Found> {
    const wanted = dashboardClient(auth.clientId, baseUrl);
    const path = `${PATH}/${encodeURIComponent(auth.clientId)}`;
    const present = await api.read(path);
    if (present === undefined) {
      const apply = async (): Promise<readonly string[]> => {
        const { status } = await api.write('POST', PATH, wanted);
        if (status === 201) return [];
        throw new SetupFailed(
          status === 409
            ? 'The client was created meanwhile: run this again.'
            : `${auth.oauthAdmin.urlVariable} answers ${status}.`,
        );
      };
      return { state: 'todo', text: `Create the client ${auth.clientId}`, apply };
    }
    const differing = differences(membersOf(present), wanted);
    if (differing.length === 0) return { state: 'done', text: `The client ${auth.clientId} is as it should be.` };
    return {
      state: 'todo',
      text: `Change the client ${auth.clientId}`,
      differences: differing.map(
        (name) => `${name}: ${JSON.stringify(membersOf(present)[name] ?? null)} → ${JSON.stringify(wanted[name])}`,
      ),
      apply: async () => {
        const change = Object.fromEntries(differing.map((name) => [name, wanted[name]]));
        const { status } = await api.write('PUT', path, { ...membersOf(present), ...change });
        if (status === 200) return [];
        throw new SetupFailed(`${auth.oauthAdmin.urlVariable} answers ${status}.`);
      },
    };
  },
});

/** Names of members that must be otherwise; the name shown to people and further scopes are the owner's affair. */
function differences(present: Record<string, unknown>, wanted: Client): (keyof Client)[] {
  const scopes = String(present['scope'] ?? '').split(' ');
  return (Object.keys(wanted) as (keyof Client)[]).filter((name) => {
    const [is, should] = [present[name], wanted[name]];
    if (name === 'client_name') return false;
    if (name === 'scope') return SCOPES.some((scope) => !scopes.includes(scope));
    return Array.isArray(should) ? texts(is).toSorted().join('\n') !== should.toSorted().join('\n') : is !== should;
  });
}
