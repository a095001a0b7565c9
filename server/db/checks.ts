import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { attempt } from '../../shared/json.ts';
import { whileRunning } from '../caches.ts';
import { type Database, deleteOldRows } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import { DatabaseUnavailable, type NoticingDatabase } from './errors.ts';
import { RELIED_ON, SILENT_CLIENT_SECONDS, STATEMENT_BYTES, TEXT, TEXT_VARIABLES } from './mysql-session.ts';

/** The privileges that the service needs on rows, and migrations on tables. */
const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const TABLES = ['CREATE', 'ALTER', 'INDEX'];

const QUERY_TIMEOUT_MS = 3_000;

/**
 * The privileges that the database user lacks, from the server's grants or the file's permissions; nothing is written.
 * @returns undefined if the grants do not show it, for example because they come from a role
 */
export async function missingRights(
  { client, knex }: Pick<Database, 'client' | 'knex'>,
  address: DatabaseAddress,
): Promise<ReturnType<typeof fileRights> | undefined> {
  if (client === 'sqlite') return address.client === 'sqlite' ? fileRights(address.path) : undefined;
  const [[row]]: [{ name: string }[]] = await knex.raw('select database() as name').timeout(QUERY_TIMEOUT_MS);
  const [rows]: [Record<string, string>[]] = await knex.raw('show grants for current_user()').timeout(QUERY_TIMEOUT_MS);
  return rightsIn(
    rows.flatMap((each) => Object.values(each)),
    row?.name ?? '',
  );
}

/** @param grants lines of `SHOW GRANTS` @param name the name of the database */
function rightsIn(grants: readonly string[], name: string) {
  const granted = new Set<string>();
  let unclear = false;
  for (const grant of grants) {
    const [, rights = '', scope = ''] = /^GRANT (.+?) ON (\S+) TO /.exec(grant) ?? [];
    if (scope === '' || rights.includes('(')) unclear = true;
    else if (covers(scope, name)) for (const right of rights.split(', ')) granted.add(right);
    else unclear ||= !scope.endsWith('.*');
  }
  const missing = (needed: readonly string[]): string[] =>
    granted.has('ALL PRIVILEGES') ? [] : needed.filter((right) => !granted.has(right));
  const found = { rows: missing(ROWS), tables: missing(TABLES) };
  return unclear && found.rows.length + found.tables.length > 0 ? undefined : found;
}

/** A scope is a pattern for the names of databases, with the wildcards of LIKE: `` `dash\_board`.* ``. */
function covers(scope: string, name: string): boolean {
  if (scope === '*.*') return true;
  const [, pattern] = /^`(.+)`\.\*$/.exec(scope) ?? [];
  if (pattern === undefined) return false;
  const source = pattern.replace(/\\([%_])|([%_])|([^\w])/g, (_all, escaped, wild, other) =>
    escaped !== undefined ? escaped : wild === undefined ? `\\${other}` : wild === '%' ? '.*' : '.',
  );
  return new RegExp(`^${source}$`, 's').test(name);
}

/**
 * The folder must be writable as well, since the write-ahead log is created next to the file. A missing file will be
 * created together with its folders.
 * @returns `unwritable`: the file if it is not writable, otherwise the folder that is not
 */
function fileRights(path: string): { rows: string[]; tables: string[]; unwritable?: string } {
  const enough = { rows: [], tables: [] };
  if (existsSync(path) && !isWritable(path)) return { ...enough, unwritable: path };
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  // The dot makes this fail if there is a file instead of the folder.
  return isWritable(`${folder}/.`) ? enough : { ...enough, unwritable: folder };
}

const isWritable = (path: string): boolean =>
  attempt(() => accessSync(path, constants.R_OK | constants.W_OK) === undefined) === true;

/** `grave`: whether a documented guarantee is violated if the setting is not fine. */
type Expectation = [setting: string, isFine: (value: string) => boolean, grave: boolean, what: string];

const is = (expected: string) => (value: string) => value === expected;
const isNot = (refused: string) => (value: string) => value !== refused;

const ISOLATION = 'READ-COMMITTED';

const SQLITE: readonly Expectation[] = [
  ['journal_mode', is('wal'), true, 'Readers and writers block each other: the journal is not WAL.'],
  ['synchronous', is('2'), true, 'A power failure can lose acknowledged writes: synchronous is not FULL.'],
  ['foreign_keys', is('1'), false, 'Foreign keys are not enforced: foreign_keys is off.'],
];

const MYSQL: readonly Expectation[] = [
  [
    'sql_mode',
    (value) => value.includes('STRICT_ALL_TABLES'),
    true,
    'Values that are too long are truncated: sql_mode is not strict.',
  ],
  [
    'wait_timeout',
    (value) => Number(value) <= SILENT_CLIENT_SECONDS,
    true,
    'A frozen process keeps its locks, and all others wait for it: wait_timeout is too long.',
  ],
  ...TEXT_VARIABLES.map(
    (name): Expectation => [name, is(TEXT), true, `Text may be stored or read incorrectly: ${name} is not ${TEXT}.`],
  ),
  ['time_zone', is('+00:00'), false, 'Times are not in UTC: time_zone is not +00:00.'],
  ...Object.entries({ ...RELIED_ON, tx_isolation: ISOLATION, transaction_isolation: ISOLATION }).map(
    ([name, value]): Expectation => [
      name,
      is(value),
      true,
      `Statements fail, wait too long or mean something else: ${name} is not ${value}.`,
    ],
  ),
  [
    'innodb_flush_log_at_trx_commit',
    is('1'),
    false,
    'A power failure can lose the last second: innodb_flush_log_at_trx_commit is not 1.',
  ],
];

/**
 * Reads the settings of a pooled connection; settings unknown to the server are skipped.
 * @param options.started false skips the journal mode, which is switched when the service starts
 */
export async function sessionDeviations(
  { client, knex }: Database,
  { started }: { started: boolean } = { started: true },
) {
  const [expected, values] = client === 'sqlite' ? [SQLITE, await pragmas(knex)] : [MYSQL, await variables(knex)];
  return expected.flatMap(([setting, isFine, grave, what]) => {
    const value = values.get(setting);
    const comes = !started && setting === 'journal_mode';
    return value === undefined || comes || isFine(value) ? [] : [{ grave, what }];
  });
}

async function pragmas(knex: Knex): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const [name] of SQLITE) {
    const [row]: Record<string, unknown>[] = await knex.raw(`pragma ${name}`);
    values.set(name, String(Object.values(row ?? {})[0]));
  }
  return values;
}

type Variable = Record<'Variable_name' | 'Value', string>;

async function variables(knex: Knex): Promise<Map<string, string>> {
  const names = MYSQL.map(([name]) => name);
  const [rows = []]: Variable[][] = await knex
    .raw(`show session variables where Variable_name in (${names.map(() => '?').join()})`, names)
    .timeout(QUERY_TIMEOUT_MS);
  return new Map(rows.map((row) => [row.Variable_name, row.Value]));
}

/** The bytes of a statement that the server refuses; undefined if it accepts a mebibyte, and so whatever can be stored. */
export async function lowStatementLimit({ client, knex }: Database): Promise<number | undefined> {
  if (client === 'sqlite') return undefined;
  const [[row]]: [{ bytes: number }[]] = await knex
    .raw(`select ${STATEMENT_BYTES} as bytes having bytes < 1048576`)
    .timeout(QUERY_TIMEOUT_MS);
  return row?.bytes;
}

/** With fewer nodes, no majority remains when one is lost. */
const NODES_MIN = 3;
const CLUSTER_LOCK_WAIT_SECONDS = 10;

const GALERA: readonly Expectation[] = [
  ['wsrep_cluster_status', is('Primary'), true, 'The node has no majority: it accepts no statements until it has one.'],
  [
    'wsrep_cluster_size',
    (nodes) => Number(nodes) >= NODES_MIN,
    false,
    'The cluster has only two nodes: when one is lost, the other one stops as well.',
  ],
  [
    'wsrep_provider_options',
    // All options in one text: `a.b = c; d.e = f; `.
    (options) => !/(?:^|;) *pc\.ignore_(?:sb|quorum) *= *true *(?:;|$)/.test(options),
    true,
    'Two halves of a divided cluster would both accept writes: pc.ignore_sb or pc.ignore_quorum is true.',
  ],
  ['wsrep_dirty_reads', isNot('ON'), true, 'A node without a majority answers with old data: wsrep_dirty_reads is ON.'],
  ['wsrep_osu_method', isNot('RSU'), true, 'Migrations would change one node only: wsrep_osu_method is RSU.'],
  [
    'wsrep_sync_wait',
    is('1'),
    true,
    'Reads can miss acknowledged writes: the server does not apply the wsrep_sync_wait that a connection sets.',
  ],
  [
    'innodb_lock_wait_timeout',
    (seconds) => Number(seconds) <= CLUSTER_LOCK_WAIT_SECONDS,
    false,
    'One transaction can stop all writes of the cluster for that long: innodb_lock_wait_timeout should be 5 seconds.',
  ],
  ['wsrep_desync', isNot('ON'), false, 'The node may fall behind without limit: wsrep_desync is ON.'],
];

/** The state of the Galera cluster that the server is part of; undefined if there is none. */
export async function clusterState(database: Database) {
  if (database.client === 'sqlite') return undefined;
  const names = ['wsrep_on', ...GALERA.map(([name]) => name)].map((name) => `'${name}'`).join();
  const read = (what: string, which = names) =>
    database.statement<Variable>(`show ${what} where Variable_name in (${which})`).all();
  const rows = [
    ...(await read('session variables')),
    ...(await read('global status')),
    // Ours is always short; the server waits for its own before it tries again to end a transaction.
    ...(await read('global variables', `'innodb_lock_wait_timeout'`)),
  ];
  const facts = new Map(rows.map((row) => [row.Variable_name, row.Value]));
  if (facts.get('wsrep_on') !== 'ON') return undefined;
  const deviations = GALERA.flatMap(([name, isFine, grave, what]) =>
    isFine(facts.get(name) ?? '') ? [] : [{ grave, what }],
  );
  return { nodes: Number(facts.get('wsrep_cluster_size') ?? 0), deviations };
}

const EVERY_MS = 5_000;
const WAIT_MS = 2_000;
/** A write that waits longer counts as failed. */
const SLOW_MS = 15_000;
const FORGOTTEN_SECONDS = 3_600;

/**
 * Checks whether the database accepts writes: on a full disk or a read-only server, reads still work. Each process
 * writes its own row.
 * @returns a check that rejects if the database is unavailable or accepts no writes; it writes at most every few
 * seconds
 */
export function writeProbe(options: { database: NoticingDatabase; now: () => number; monotonic: () => number }) {
  const { database, now, monotonic } = options;
  const id = randomUUID();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;

  const write = whileRunning(async () => {
    const written_at = Math.floor(now() / 1000);
    await database.transaction((trx) => trx('write_probes').insert({ id, written_at }).onConflict('id').merge());
    writtenAt = monotonic();
    if (writtenAt - prunedAt >= FORGOTTEN_SECONDS * 1000) {
      prunedAt = writtenAt;
      // In a separate transaction: two processes that each lock their own row and then scan all rows would deadlock.
      const old = { table: 'write_probes', column: 'written_at', below: written_at - FORGOTTEN_SECONDS };
      await deleteOldRows(database, old).catch(() => {});
    }
  });

  return async (): Promise<void> => {
    await database.ping();
    if (database.foundFull()) throw new DatabaseUnavailable('the database disk is full');
    if (monotonic() - writtenAt < EVERY_MS) return;
    const inTime = await Promise.race([write().then(() => true), sleep(WAIT_MS, false, { ref: false })]);
    if (!inTime && monotonic() - writtenAt > SLOW_MS)
      throw new DatabaseUnavailable('the database does not accept writes');
  };
}
