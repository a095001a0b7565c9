import type { Knex } from 'knex';
import {
  SERVICE_CHANGES_MAX,
  SERVICE_HISTORY_DAYS,
  type ServiceChange,
  type ServiceName,
} from '../../../shared/services.ts';
import type { Clock } from '../../context.ts';
import type { Database } from '../../db/database.ts';

/** What a check has found, and when (ISO 8601). */
export type CheckResult = Pick<ServiceChange, 'status' | 'problem' | 'at'>;

/** A status according to the last stored change. */
export type StoredStatus = Pick<ServiceChange, 'status' | 'problem'> & { since: string };

const DAY_MS = 86_400_000;

type Row = CheckResult & { service: ServiceName; number: number; since: string; one_replica: number };

/**
 * Changes of services in the database; all methods reject if it is unavailable. The numbers and times of a service's
 * changes are in the same order, even if clocks are adjusted or differ between replicas: no time is earlier than the
 * previous one, or later than now.
 */
export function serviceChanges({ database, now, monotonic }: { database: Database } & Clock) {
  const startedAt = now() - monotonic();
  const readLast = database.statement<Row>(
    'select * from service_changes where (service, number) in (select service, max(number) from service_changes group by service)',
  );
  const readOf = database.statement<Row>(
    `select * from service_changes where service = ? order by number desc limit ${SERVICE_CHANGES_MAX}`,
  );

  const currentTime = (): string => new Date(now()).toISOString();
  /** Uses the earlier of two clocks, so that setting the wall clock forward does not delete everything. */
  const historyStart = (): string =>
    new Date(Math.min(now(), startedAt + monotonic()) - SERVICE_HISTORY_DAYS * DAY_MS).toISOString();

  async function add(
    trx: Knex.Transaction,
    service: ServiceName,
    found: CheckResult,
    one_replica: 0 | 1,
  ): Promise<void> {
    const last = await lastOf(trx, service);
    if (last !== undefined && isSame(last, found)) return;
    const time = currentTime();
    // Corrects times that were stored while the clock was ahead.
    for (const column of ['at', 'since']) await rowsOf(trx, service).where(column, '>', time).update(column, time);
    const at = latest(earliest(found.at, time), earliest(last?.at ?? '', time));
    const since = last?.status === found.status ? earliest(last.since, time) : at;
    const number = (last?.number ?? 0) + 1;
    const { status, problem } = found;
    await trx('service_changes').insert({ service, number, status, problem, at, since, one_replica });
    await rowsOf(trx, service)
      .where('number', '<=', number - SERVICE_CHANGES_MAX)
      .delete();
  }

  async function current(): Promise<Map<ServiceName, StoredStatus>> {
    const time = currentTime();
    const rows = await readLast.all();
    return new Map(
      rows.map(({ service, status, problem, since }) => [service, { status, problem, since: earliest(since, time) }]),
    );
  }

  return {
    current,
    /** The changes of the last seven days and the one before them, newest first. */
    async history(name: ServiceName): Promise<ServiceChange[]> {
      const time = currentTime();
      const rows = await readOf.all(name);
      const before = rows.findIndex(({ at }) => at < historyStart());
      return rows.slice(0, before < 0 ? rows.length : before + 1).map(({ status, problem, at, one_replica }) => ({
        status,
        problem,
        at: earliest(at, time),
        one_replica: one_replica === 1,
      }));
    },
    /**
     * Stores the results that differ from the stored status.
     * @param mayStore called first, in the same transaction; returns whether the results may still be stored
     */
    async store(
      found: ReadonlyMap<ServiceName, CheckResult>,
      mayStore: (trx: Knex.Transaction) => Promise<boolean>,
    ): Promise<void> {
      const stored = await current();
      const changed = [...found].filter(([name, state]) => {
        const before = stored.get(name);
        return before === undefined || !isSame(before, state);
      });
      if (changed.length === 0) return;
      await database.transaction(async (trx) => {
        if (!(await mayStore(trx))) return;
        for (const [name, state] of changed) await add(trx, name, state, 0);
      });
    },
    /**
     * Stores the results that one replica saw, unless another has stored results for the same time.
     * @param seen oldest first
     */
    async storeView(name: ServiceName, seen: readonly CheckResult[]): Promise<void> {
      const [first] = seen;
      if (first === undefined) return;
      await database.transaction(async (trx) => {
        const last = await lastOf(trx, name);
        if (last !== undefined && last.at >= earliest(first.at, currentTime())) return;
        for (const state of seen) await add(trx, name, state, 1);
      });
    },
    /** Deletes changes that are older than seven days, except the latest of these for each service. */
    async forgetOld(): Promise<void> {
      const oldest = historyStart();
      await database.transaction(async (trx) => {
        const before = await trx('service_changes')
          .where('at', '<', oldest)
          .groupBy('service')
          .select<{ service: ServiceName; number: number }[]>('service', trx.raw('max(number) as number'));
        for (const { service, number } of before) await rowsOf(trx, service).where('number', '<', number).delete();
      });
    },
  };
}
export type ServiceChanges = ReturnType<typeof serviceChanges>;

const rowsOf = (trx: Knex.Transaction, service: ServiceName): Knex.QueryBuilder =>
  trx('service_changes').where({ service });
const lastOf = (trx: Knex.Transaction, service: ServiceName): Promise<Row | undefined> =>
  rowsOf(trx, service).orderBy('number', 'desc').first();

type Status = Pick<ServiceChange, 'status' | 'problem'>;
const isSame = (a: Status, b: Status): boolean => a.status === b.status && a.problem === b.problem;

// The earlier of two ISO 8601 times, which sort as text.
const earliest = (a: string, b: string): string => (a < b ? a : b);
const latest = (a: string, b: string): string => (a > b ? a : b);
