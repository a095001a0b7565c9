import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { apiKeySetting, isBearerKey, UPSTREAMS, type UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { isServiceLink, missingDefaults, secretIn, VARIABLES } from '../config/variables.ts';
import type { Storage } from '../context.ts';
import type { MysqlServer } from '../db/database-address.ts';
import { withoutDriverText } from '../db/errors.ts';
import { migrationState } from '../db/migrate.ts';

/**
 * Does what a step found to do, or writes the files that its lines mention.
 * @returns lines to show once: they may contain a recovery link
 * @throws SetupFailed
 */
type Apply = () => Promise<readonly string[] | undefined>;

/** What a step found. Its texts contain no secrets. */
export interface Found {
  /** `by hand`: a person has to do it. */
  state: 'ok' | 'to do' | 'by hand';
  text: string;
  apply?: Apply | undefined;
  /** What differs, or what a person has to do. */
  lines?: readonly string[] | undefined;
}

export const ok = (text: string): Found => ({ state: 'ok', text });
export function toDo(text: string, apply: Apply, lines?: readonly string[]): Found {
  return { state: 'to do', text, apply, lines };
}
export function byHand(text: string, lines: readonly string[], apply?: Apply): Found {
  return { state: 'by hand', text, lines, apply };
}

/** One part of an installation. `look` changes nothing. */
export interface Step {
  title: string;
  /** @throws SetupFailed */
  look(): Promise<Found>;
}

/** The message says what failed and what to do, and contains no secrets. */
export class SetupFailed extends Error {}

const DEFAULT_NAME = 'dashboard.env';
const GENERATED = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
const KNOWN = new Set<string>(VARIABLES);
/** Variables whose values are not shown. */
const SECRET = /KEY|SECRET|DATABASE_URL/;

/**
 * The variables of this installation: from the environment, otherwise from the file, otherwise defaults. Missing keys
 * and the database password are generated. A key in the file is replaced only if it stays as the previous key.
 * @param pathGiven undefined: the default path
 * @throws SetupFailed if others can read the file, it is not a regular file, or a key would be lost
 */
export function environmentFile(pathGiven: string | undefined, env: NodeJS.ProcessEnv) {
  const path = pathGiven ?? DEFAULT_NAME;
  /** Undefined if the file does not exist. */
  const text = read(path);
  const present: Record<string, string | undefined> = parseEnv(text ?? '');
  const variables = { ...present };
  for (const [name, value] of Object.entries(env))
    if (KNOWN.has(name) && value?.trim() && !isServiceLink(name, value)) variables[name] = value;
  for (const name of GENERATED)
    if (present[name]?.trim() && variables[name] !== present[name] && variables[`${name}_PREVIOUS`] !== present[name])
      throw new SetupFailed(
        `${name} differs from the one in ${path}: unset it, or set ${name}_PREVIOUS to the key in the file.`,
      );
  const defaults = {
    NODE_ENV: 'production',
    // A provider chooses the id itself, and operators by claims have no schema.
    ...(!variables['AUTH_ISSUER']?.trim() && { OAUTH_CLIENT_ID: 'dashboard' }),
    ...(variables['OPERATORS_FROM']?.trim() !== 'claims' && { OPERATOR_SCHEMA_IDS: 'operator' }),
    DATABASE_URL: `mysql://dashboard:${randomBytes(24).toString('hex')}@127.0.0.1/dashboard`,
    ...Object.fromEntries(GENERATED.map((name) => [name, randomBytes(32).toString('base64')])),
  };
  Object.assign(variables, missingDefaults(defaults, variables));
  /** False if no file was named and the environment has every variable, as in a container. */
  const isNeeded = pathGiven !== undefined || Object.keys(variables).some((name) => variables[name] !== env[name]);
  return { path, text, present, variables, isNeeded };
}

/** Compares the file with the variables; `apply` writes it. */
export function lookAtFile({ path, text, present, variables, isNeeded }: ReturnType<typeof environmentFile>): Found {
  if (!isNeeded) return ok('The environment has every variable.');
  const changed = Object.keys(variables).filter((name) => variables[name] !== present[name]);
  if (changed.length === 0) return ok(`${path} has every variable.`);
  const differences = changed.map((name) => {
    const [before, after] = [present[name], variables[name]];
    if (SECRET.test(name)) return before === undefined ? `${name}: added` : `${name}: replaced`;
    return before === undefined ? `${name}=${after}` : `${name}: ${before} → ${after}`;
  });
  async function apply(): Promise<undefined> {
    if (read(path) !== text) throw changedSince(path);
    const lines = new Map(
      Object.entries(variables).map(([name, value = '']) => [name, `${name}=${quoted(name, value)}`]),
    );
    const edited = withLines(text ?? '', new Map([...lines].filter(([name]) => changed.includes(name))));
    const isReadBack = isDeepStrictEqual({ ...parseEnv(edited) }, variables);
    write(path, isReadBack ? edited : `${[...lines.values()].join('\n')}\n`, 0o600, text === undefined);
  }
  const isEmpty = Object.keys(present).length === 0;
  return toDo(isEmpty ? `Create ${path}, readable by you alone` : `Change ${path}`, apply, differences);
}

/** Replaces the line of each variable, or adds it at the end. */
function withLines(text: string, lines: ReadonlyMap<string, string>): string {
  const rest = new Map(lines);
  const kept = (text === '' ? [] : text.replace(/\n$/, '').split('\n')).map((line) => {
    const [, name = ''] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line) ?? [];
    const replaced = lines.get(name);
    rest.delete(name);
    return replaced ?? line;
  });
  return `${[...kept, ...rest.values()].join('\n')}\n`;
}

const changedSince = (path: string): SetupFailed =>
  new SetupFailed(`${path} was changed in the meantime: run this again.`);

function read(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new SetupFailed(`${path} is not a file.`);
  if ((found.mode & 0o077) !== 0) throw new SetupFailed(`Others can read ${path}: chmod 600 ${path}`);
  return readFileSync(path, 'utf8');
}

/** Quotes a value so that Node's `--env-file` reads it back unchanged. */
function quoted(name: string, value: string): string {
  if (/^[\w.,:;/+=@%?&~*()[\]{}!-]*$/.test(value)) return value;
  const quote = [`'`, '"', '`'].find((one) => parseEnv(`${name}=${one}${value}${one}`)[name] === value);
  if (quote === undefined)
    throw new SetupFailed(
      `The value of ${name} cannot be written to an environment file: provide it through ${name}_FILE.`,
    );
  return `${quote}${value}${quote}`;
}

/** Never replaces a file with other contents. @throws SetupFailed */
function writeUnlessThere(path: string, text: string): undefined {
  const present = read(path);
  if (present === undefined) write(path, text, 0o600, true);
  else if (present !== text)
    throw new SetupFailed(`${path} exists with other contents: move it away and run this again.`);
}

/** Writes a file atomically. @param isNew refuses to replace a file @throws SetupFailed */
export function write(path: string, text: string, mode = 0o600, isNew = false): void {
  const draft = `${path}.${process.pid}.draft`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: 'wx', mode, flush: true });
    if (isNew) linkSync(draft, path);
    else renameSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw isNew && code === 'EEXIST' ? changedSince(path) : new SetupFailed(`${path} could not be written: ${code}.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

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
      return toDo('Create the database file with its tables', apply);
    try {
      await storage.database.ping();
    } catch (error) {
      const code = String((error as { code?: unknown }).code ?? '');
      if (address.client !== 'mysql' || !TO_CREATE.has(code))
        throw new SetupFailed((withoutDriverText(error) as Error).message);
      return createdByHand(address.server, error as Error, sqlFile);
    }
    const { missing } = await migrationState(storage.database);
    if (missing.length === 0) return ok('It has the tables of this release.');
    return toDo(`Create or change its tables: ${missing.length} migrations`, apply);
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
  return byHand(
    'This user or this database does not exist on the server.',
    [
      `As an administrator of the server, run ${sqlFile}, which may contain the password; then delete it:`,
      `  mariadb -u root -p < ${sqlFile} && rm ${sqlFile}`,
      ...onlyFrom,
    ],
    async () => writeUnlessThere(sqlFile, `${statements.join('\n')}\n`),
  );
}

/** Errors after the user has signed in. */
const USER_EXISTS = new Set(['ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);
const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const text = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Keys of admin APIs by upstream. @param given `NAME=FILE` of each `--key` @throws SetupFailed */
export function readKeys(given: readonly string[]): ReadonlyMap<UpstreamName, string> {
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
export const keySteps = (
  keys: ReturnType<typeof readKeys>,
  { settings, vault }: Storage,
  hasTables: () => Promise<boolean>,
): Step[] =>
  [...keys].map(([name, value]) => ({
    title: `Key of ${name}`,
    async look() {
      const key = apiKeySetting(name);
      const stored = (await hasTables()) ? await settings.get(key).catch(() => undefined) : undefined;
      if (stored?.encrypted === true && stored.value === value) return ok(`It is stored as ${key}.`);
      return toDo(`Store it as ${key}, ${stored === undefined ? 'encrypted' : 'replacing another'}`, () =>
        vault.put({ key, value, encrypted: true }, 'command-line').then(() => undefined),
      );
    },
  }));
