import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { LOCK_WAIT_SECONDS, SILENT_CLIENT_SECONDS, TEXT, TEXT_VARIABLES } from './mysql-session.ts';

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

const QUERY_TIMEOUT_MS = 3_000;

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
