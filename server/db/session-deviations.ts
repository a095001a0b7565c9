import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { LOCK_WAIT_SECONDS, SILENT_CLIENT_SECONDS } from './knex-options.ts';

/** A setting of our own connections that is not as the service needs it. */
export interface SessionDeviation {
  /** Something that was promised does not hold. */
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
    'A power cut can lose what was acknowledged: synchronous is not FULL.',
  ],
  ['foreign_keys', (value) => value === '1', false, 'References are not checked: foreign_keys is off.'],
];

const MYSQL: readonly Expectation[] = [
  ['sql_mode', (value) => value.includes('STRICT_ALL_TABLES'), true, 'Values are cut to fit: sql_mode is not strict.'],
  [
    'innodb_lock_wait_timeout',
    (value) => Number(value) <= LOCK_WAIT_SECONDS,
    true,
    'A lock is waited for longer than a request lasts: innodb_lock_wait_timeout.',
  ],
  [
    'wait_timeout',
    (value) => Number(value) <= SILENT_CLIENT_SECONDS,
    true,
    'A process that froze keeps its locks, and all others wait for it: wait_timeout.',
  ],
  ['time_zone', (value) => value === '+00:00', false, 'Times are not in UTC: time_zone.'],
  ['tx_isolation', isReadCommitted, true, 'Transactions see an old state: the isolation level is not READ COMMITTED.'],
  [
    'transaction_isolation',
    isReadCommitted,
    true,
    'Transactions see an old state: the isolation level is not READ COMMITTED.',
  ],
  [
    'innodb_flush_log_at_trx_commit',
    (value) => value === '1',
    false,
    'A power cut can lose the last second: innodb_flush_log_at_trx_commit is not 1.',
  ],
];

const QUERY_TIMEOUT_MS = 3_000;

/** Asks a connection of the pool how it is set; servers that do not know a setting by its name are not asked about it. */
export async function sessionDeviations({ client, knex }: Database): Promise<SessionDeviation[]> {
  const [expected, values] = client === 'sqlite' ? [SQLITE, await pragmas(knex)] : [MYSQL, await variables(knex)];
  return expected.flatMap(([setting, isFine, grave, what]) => {
    const value = values.get(setting);
    return value === undefined || isFine(value) ? [] : [{ grave, what }];
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
