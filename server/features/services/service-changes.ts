import type { Knex } from 'knex';
import {
  SERVICE_CHANGES_MAX,
  SERVICE_HISTORY_DAYS,
  type ServiceChange,
  type ServiceName,
} from '../../../shared/services.ts';
import type { Database } from '../../db/database.ts';

/** How a service was found, and when (ISO 8601). */
export type Found = Pick<ServiceChange, 'status' | 'problem' | 'at'>;

/** How a service stands by the last change stored. */
export type Standing = Pick<ServiceChange, 'status' | 'problem'> & { since: string };

/** Changes of services in the database. All reject if it is unavailable. */
export interface ServiceChanges {
  standings(): Promise<Map<ServiceName, Standing>>;
  /** Newest first: of the last seven days, and the one before them. */
  history(name: ServiceName): Promise<ServiceChange[]>;
  /**
   * Stores what differs from what is stored.
   * @param mayStore asked first, in the same transaction: whether what was found may still be stored
   */
  store(found: ReadonlyMap<ServiceName, Found>, mayStore: (trx: Knex.Transaction) => Promise<boolean>): Promise<void>;
  /**
   * Stores what one replica saw in order, unless another one has told of the same time.
   * @param seen oldest first
   */
  storeView(name: ServiceName, seen: readonly Found[]): Promise<void>;
  /** Forgets what is older than seven days, except how they began. */
  forgetOld(): Promise<void>;
}

const DAY_MS = 86_400_000;

type Row = Found & { service: ServiceName; number: number; since: string; one_replica: number };

/**
 * Changes of a service are in the order of their numbers, and so are their times, though clocks are set and those of
 * replicas differ: no time is earlier than the one before it, or later than now.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function serviceChanges(options: {
  database: Database;
  now: () => number;
  monotonic: () => number;
}): ServiceChanges {
  const { database, now, monotonic } = options;
  const began = now() - monotonic();
  const readLast = database.statement<Row>(
    'select * from service_changes where (service, number) in (select service, max(number) from service_changes group by service)',
  );
  const readOf = database.statement<Row>(
    `select * from service_changes where service = ? order by number desc limit ${SERVICE_CHANGES_MAX}`,
  );

  const currentTime = (): string => new Date(now()).toISOString();
  /** By the earlier of two clocks: one that is set forward for a while must not forget everything. */
  const oldestKept = (): string =>
    new Date(Math.min(now(), began + monotonic()) - SERVICE_HISTORY_DAYS * DAY_MS).toISOString();

  async function add(trx: Knex.Transaction, service: ServiceName, found: Found, one_replica: 0 | 1): Promise<void> {
    const rows = (): Knex.QueryBuilder => trx('service_changes').where({ service });
    const last: Row | undefined = await rows().orderBy('number', 'desc').first();
    if (last !== undefined && isSame(last, found)) return;
    const present = currentTime();
    // Stored while the clock was fast.
    for (const column of ['at', 'since']) await rows().where(column, '>', present).update(column, present);
    const at = latest(earliest(found.at, present), earliest(last?.at ?? '', present));
    const since = last?.status === found.status ? earliest(last.since, present) : at;
    const number = (last?.number ?? 0) + 1;
    const { status, problem } = found;
    await trx('service_changes').insert({ service, number, status, problem, at, since, one_replica });
    await rows()
      .where('number', '<=', number - SERVICE_CHANGES_MAX)
      .delete();
  }

  async function standings(): Promise<Map<ServiceName, Standing>> {
    const present = currentTime();
    const rows = await readLast.all();
    return new Map(
      rows.map(({ service, status, problem, since }) => [
        service,
        { status, problem, since: earliest(since, present) },
      ]),
    );
  }

  return {
    standings,
    async history(name) {
      const present = currentTime();
      const rows = await readOf.all(name);
      const before = rows.findIndex(({ at }) => at < oldestKept());
      return rows.slice(0, before < 0 ? rows.length : before + 1).map(({ status, problem, at, one_replica }) => ({
        status,
        problem,
        at: earliest(at, present),
        one_replica: one_replica === 1,
      }));
    },
    async store(found, mayStore) {
      const standing = await standings();
      const changed = [...found].filter(([name, state]) => {
        const before = standing.get(name);
        return before === undefined || !isSame(before, state);
      });
      if (changed.length === 0) return;
      await database.transaction(async (trx) => {
        if (!(await mayStore(trx))) return;
        for (const [name, state] of changed) await add(trx, name, state, 0);
      });
    },
    async storeView(name, seen) {
      const [first] = seen;
      if (first === undefined) return;
      await database.transaction(async (trx) => {
        const last: Row | undefined = await trx('service_changes')
          .where({ service: name })
          .orderBy('number', 'desc')
          .first();
        if (last !== undefined && last.at >= earliest(first.at, currentTime())) return;
        for (const state of seen) await add(trx, name, state, 1);
      });
    },
    async forgetOld() {
      const oldest = oldestKept();
      await database.transaction(async (trx) => {
        const before = await trx('service_changes')
          .where('at', '<', oldest)
          .groupBy('service')
          .select<{ service: ServiceName; number: number }[]>('service', trx.raw('max(number) as number'));
        for (const { service, number } of before)
          await trx('service_changes').where({ service }).where('number', '<', number).delete();
      });
    },
  };
}

const isSame = (a: Pick<Found, 'status' | 'problem'>, b: Pick<Found, 'status' | 'problem'>): boolean =>
  a.status === b.status && a.problem === b.problem;

// Of two times in ISO 8601, which sort as text.
const earliest = (a: string, b: string): string => (a < b ? a : b);
const latest = (a: string, b: string): string => (a > b ? a : b);
