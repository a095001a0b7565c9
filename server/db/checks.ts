import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Database, deleteOldRows } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import { DatabaseUnavailable, type NoticingDatabase } from './errors.ts';
import { LOCK_WAIT_SECONDS, SILENT_CLIENT_SECONDS, TEXT, TEXT_VARIABLES } from './mysql-session.ts';

/** What the service does with rows, and what migrations do with tables. */
const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const TABLES = ['CREATE', 'ALTER', 'INDEX'];

/** Rights of the service's database user that are missing. */
export interface MissingRights {
  rows: readonly string[];
  tables: readonly string[];
  /** A SQLite file, or the folder that it is or will be in, which is not writable. */
  unwritable?: string;
}

const QUERY_TIMEOUT_MS = 3_000;

/**
 * Read from the server's grants, or from the file's permissions: nothing is written.
 * @returns undefined if the grants do not tell, for example because they come from a role
 */
export async function missingRights(
  { client, knex }: Pick<Database, 'client' | 'knex'>,
  address: DatabaseAddress,
): Promise<MissingRights | undefined> {
  if (client === 'sqlite') return address.client === 'sqlite' ? fileRights(address.path) : undefined;
  const [[row]]: [{ name: string }[]] = await knex.raw('select database() as name').timeout(QUERY_TIMEOUT_MS);
  const [rows]: [Record<string, string>[]] = await knex.raw('show grants for current_user()').timeout(QUERY_TIMEOUT_MS);
  return rightsIn(
    rows.flatMap((each) => Object.values(each)),
    row?.name ?? '',
  );
}

/** @param grants lines of `SHOW GRANTS` @param name of the database */
export function rightsIn(grants: readonly string[], name: string): MissingRights | undefined {
  const granted = new Set<string>();
  let unclear = false;
  for (const grant of grants) {
    const [, rights = '', scope = ''] = /^GRANT (.+?) ON (\S+) TO /.exec(grant) ?? [];
    if (scope === '' || rights.includes('(')) unclear = true;
    else if (covers(scope, name)) for (const right of rights.split(', ')) granted.add(right);
    else unclear ||= !scope.endsWith('.*');
  }
  const missing = (wanted: readonly string[]): string[] =>
    granted.has('ALL PRIVILEGES') ? [] : wanted.filter((right) => !granted.has(right));
  const found = { rows: missing(ROWS), tables: missing(TABLES) };
  return unclear && found.rows.length + found.tables.length > 0 ? undefined : found;
}

/** A scope names a database with the wildcards of LIKE: `` `dash\_board`.* ``. */
function covers(scope: string, name: string): boolean {
  if (scope === '*.*') return true;
  const [, pattern] = /^`(.+)`\.\*$/.exec(scope) ?? [];
  if (pattern === undefined) return false;
  const source = pattern.replace(/\\([%_])|([%_])|([^\w])/g, (_all, escaped, wild, other) =>
    escaped !== undefined ? escaped : wild === undefined ? `\\${other}` : wild === '%' ? '.*' : '.',
  );
  return new RegExp(`^${source}$`, 's').test(name);
}

/** The folder, too: the write-ahead log is created next to the file; a file that is missing, with its folders. */
function fileRights(path: string): MissingRights {
  const enough = { rows: [], tables: [] };
  if (existsSync(path) && !isWritable(path)) return { ...enough, unwritable: path };
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  // With the dot, a file in the way is no folder.
  return isWritable(`${folder}/.`) ? enough : { ...enough, unwritable: folder };
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A connection setting that differs from what the service needs. */
export interface SessionDeviation {
  /** Whether a documented guarantee does not hold. */
  grave: boolean;
  what: string;
}

type Expectation = [setting: string, isFine: (value: string) => boolean, grave: boolean, what: string];

const SQLITE: readonly Expectation[] = [
  ['journal_mode', (value) => value === 'wal', true, 'Readers and writers block each other: the journal is not WAL.'],
  [
    'synchronous',
    (value) => value === '2',
    true,
    'A power failure can lose acknowledged writes: synchronous is not FULL.',
  ],
  ['foreign_keys', (value) => value === '1', false, 'Foreign keys are not enforced: foreign_keys is off.'],
];

const MYSQL: readonly Expectation[] = [
  [
    'sql_mode',
    (value) => value.includes('STRICT_ALL_TABLES'),
    true,
    'Values that are too long are truncated: sql_mode is not strict.',
  ],
  [
    'innodb_lock_wait_timeout',
    (value) => Number(value) <= LOCK_WAIT_SECONDS,
    true,
    'Statements wait for locks longer than a request may take: innodb_lock_wait_timeout is too long.',
  ],
  [
    'wait_timeout',
    (value) => Number(value) <= SILENT_CLIENT_SECONDS,
    true,
    'A frozen process keeps its locks, and all others wait for it: wait_timeout is too long.',
  ],
  ...TEXT_VARIABLES.map(
    (variable): Expectation => [
      variable,
      (value) => value === TEXT,
      true,
      `Text is stored or read as other text: ${variable} is not ${TEXT}.`,
    ],
  ),
  ['time_zone', (value) => value === '+00:00', false, 'Times are not in UTC: time_zone is not +00:00.'],
  ['tx_isolation', isReadCommitted, true, 'Transactions read stale data: the isolation level is not READ COMMITTED.'],
  [
    'transaction_isolation',
    isReadCommitted,
    true,
    'Transactions read stale data: the isolation level is not READ COMMITTED.',
  ],
  [
    'innodb_flush_log_at_trx_commit',
    (value) => value === '1',
    false,
    'A power failure can lose the last second: innodb_flush_log_at_trx_commit is not 1.',
  ],
];

/**
 * Reads the settings of a pooled connection; settings unknown to the server are skipped.
 * @param options.started false: without the journal, which a start switches
 */
export async function sessionDeviations(
  { client, knex }: Database,
  { started }: { started: boolean } = { started: true },
): Promise<SessionDeviation[]> {
  const [expected, values] = client === 'sqlite' ? [SQLITE, await pragmas(knex)] : [MYSQL, await variables(knex)];
  return expected.flatMap(([setting, isFine, grave, what]) => {
    const value = values.get(setting);
    const comes = !started && setting === 'journal_mode';
    return value === undefined || comes || isFine(value) ? [] : [{ grave, what }];
  });
}

function isReadCommitted(value: string): boolean {
  return value === 'READ-COMMITTED';
}

async function pragmas(knex: Knex): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const [name] of SQLITE) {
    const [row]: Record<string, unknown>[] = await knex.raw(`pragma ${name}`);
    values.set(name, String(Object.values(row ?? {})[0]));
  }
  return values;
}

async function variables(knex: Knex): Promise<Map<string, string>> {
  const names = MYSQL.map(([name]) => name);
  const [rows = []]: { Variable_name: string; Value: string }[][] = await knex
    .raw(`show session variables where Variable_name in (${names.map(() => '?').join()})`, names)
    .timeout(QUERY_TIMEOUT_MS);
  return new Map(rows.map((row) => [row.Variable_name, row.Value]));
}

const EVERY_MS = 5_000;
const WAIT_MS = 2_000;
/** A write that waits longer counts as failed. */
const SLOW_MS = 15_000;
const FORGOTTEN_SECONDS = 3_600;

/**
 * Checks whether the database accepts writes: with a full disk or a read-only server, reads still work. Each process
 * writes its own row.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 * @returns a check that rejects if the database is unavailable or does not accept writes; writes every few seconds at
 * most
 */
export function writeProbe(options: {
  database: NoticingDatabase;
  now: () => number;
  monotonic: () => number;
}): () => Promise<void> {
  const { database, now, monotonic } = options;
  const id = randomUUID();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  async function write(): Promise<void> {
    const written_at = Math.floor(now() / 1000);
    await database.transaction((trx) => trx('write_probes').insert({ id, written_at }).onConflict('id').merge());
    writtenAt = monotonic();
    if (writtenAt - prunedAt >= FORGOTTEN_SECONDS * 1000) {
      prunedAt = writtenAt;
      // In its own transaction: two processes that each lock their row and scan all would deadlock.
      const old = { table: 'write_probes', column: 'written_at', below: written_at - FORGOTTEN_SECONDS };
      await deleteOldRows(database, old).catch(() => {});
    }
  }

  return async () => {
    await database.ping();
    if (database.foundFull()) throw new DatabaseUnavailable('the database disk is full');
    if (monotonic() - writtenAt < EVERY_MS) return;
    underWay ??= write().finally(() => {
      underWay = undefined;
    });
    const inTime = await Promise.race([underWay.then(() => true), sleep(WAIT_MS, false, { ref: false })]);
    if (!inTime && monotonic() - writtenAt > SLOW_MS)
      throw new DatabaseUnavailable('the database does not accept writes');
  };
}
