import { type AuditAction, type AuditRecord, CHANGE_ACTIONS } from '../../shared/audit.ts';
import type { Database, Statement } from '../db/database.ts';
import { type ChainedRecord, LAST_PRUNED } from './chain.ts';
import { type AuditEvent, subjectOf, type WithTimestamp } from './event.ts';

export interface AuditFilter {
  action?: AuditAction;
  actor?: string;
  subject?: string;
  /** ISO 8601, UTC, with milliseconds; inclusive. */
  from?: string;
  /** Exclusive. */
  to?: string;
  /** Only records of changes and of attempted changes (`CHANGE_ACTIONS`). */
  changes?: boolean;
}

/** The last record of a page, and the newest record at the time the first page was read. */
export interface AuditPosition {
  timestamp: string;
  sequence: number;
  head: number;
}

type Row = Pick<ChainedRecord, 'sequence' | 'record'>;

/** Sorts after every timestamp. */
const END_OF_TIME = '~';

/** In the column order of the indexes. */
const EQUALS = ['subject', 'action', 'actor'] as const;
type Equal = (typeof EQUALS)[number];

/** The index with these columns. It yields records in display order, so that a page reads only its own rows. */
const indexFor = (given: readonly Equal[]): string =>
  given.length === 0 ? 'audit_log_recorded_at' : `audit_log_${given.join('_')}_at`;

/** The SQL of a page. The index is forced: without statistics, a planner may pick one that sorts a million rows. */
export function pageQuery(client: Database['client'], given: readonly Equal[]): string {
  return `select sequence, record ${fromIndex(client, given)}`;
}

/**
 * The SQL of a page for several actions: each yields its newest records from its own index, and only those on the page
 * are looked up. The values are those of each action in turn, followed by the size of the page once more.
 */
export function pageOfActionsQuery(client: Database['client'], given: readonly Equal[], actions: number): string {
  const newest = Array.from(
    { length: actions },
    (_, index) => `select * from (select recorded_at, sequence ${fromIndex(client, given)}) as of_action_${index}`,
  );
  return `select log.sequence, log.record
    from (${newest.join(' union all ')} order by recorded_at desc, sequence desc limit ?) as found
    ${client === 'mysql' ? 'straight_join' : 'cross join'} audit_log as log on log.sequence = found.sequence
    order by found.recorded_at desc, found.sequence desc`;
}

const fromIndex = (client: Database['client'], given: readonly Equal[]): string =>
  `from audit_log ${byIndex(client, indexFor(given))}
    where ${given.map((column) => `${column} = ? and `).join('')}recorded_at >= ? and recorded_at <= ?
    and (recorded_at < ? or sequence < ?) and sequence <= ? and sequence > ${LAST_PRUNED}
    order by recorded_at desc, sequence desc limit ?`;

export const byIndex = (client: Database['client'], index: string): string =>
  client === 'mysql' ? `force index (${index})` : `indexed by ${index}`;

const LOGINS = {
  sqlite: byIndex('sqlite', 'audit_log_action_actor_at'),
  mysql: byIndex('mysql', 'audit_log_action_actor_at'),
};

/**
 * Each operator's last sign-in since a time, latest first. SQLite runs in this process and would block it, so its query
 * hops from one index entry to the next and skips the other sign-ins.
 */
export const LAST_LOGINS: Record<Database['client'], string> = {
  sqlite: `with recursive
    actors(actor) as (
      select min(actor) from audit_log ${LOGINS.sqlite} where action = 'login'
      union all
      select (select min(actor) from audit_log ${LOGINS.sqlite} where action = 'login' and actor > actors.actor)
      from actors where actor is not null),
    latest(actor, at) as (
      select actor,
        (select max(recorded_at) from audit_log ${LOGINS.sqlite}
         where action = 'login' and actor = actors.actor and sequence > ${LAST_PRUNED})
      from actors where actor is not null)
    select log.sequence, log.record
    from (select actor, at from latest where at >= ? order by at desc limit ?) as seen
    cross join audit_log as log ${LOGINS.sqlite}
      on log.action = 'login' and log.actor = seen.actor and log.recorded_at = seen.at and log.sequence > ${LAST_PRUNED}
    order by log.recorded_at desc, log.sequence desc`,
  mysql: `select log.sequence, log.record
    from (select actor, max(recorded_at) as at from audit_log ${LOGINS.mysql}
          where action = 'login' and sequence > ${LAST_PRUNED} group by actor having at >= ? order by at desc limit ?) as seen
    straight_join audit_log as log ${LOGINS.mysql}
      on log.action = 'login' and log.actor = seen.actor and log.recorded_at = seen.at and log.sequence > ${LAST_PRUNED}
    order by log.recorded_at desc, log.sequence desc`,
};

export function auditSearch(database: Database) {
  const readHead = database.statement<{ sequence: number }>('select sequence from audit_head where id = 1');
  const lastLogins = database.statement<Row>(LAST_LOGINS[database.client]);
  const newer = database.statement<Row>(
    `select sequence, record from audit_log where sequence > ? and sequence > ${LAST_PRUNED} order by sequence limit ?`,
  );
  const pages = new Map<string, Statement<Row>>();

  function statementFor(sql: string): Statement<Row> {
    const statement = pages.get(sql) ?? database.statement<Row>(sql);
    pages.set(sql, statement);
    return statement;
  }

  /** The newest matching rows. `bounds` are in the order of the placeholders; the last one is the number of rows. */
  function newest(
    { actions, ...equal }: { actions: readonly AuditAction[] | undefined; actor?: string; subject?: string },
    bounds: readonly [...(string | number)[], most: number],
  ): Promise<Row[]> {
    const valuesOf = (action: AuditAction | undefined) => {
      const values = { ...equal, action };
      const given = EQUALS.filter((column) => values[column] !== undefined);
      return { given, values: [...given.map((column) => values[column] as string), ...bounds] };
    };
    const each = (actions ?? [undefined]).map(valuesOf);
    const [first] = each;
    if (first === undefined) return Promise.resolve([]);
    if (each.length === 1) return statementFor(pageQuery(database.client, first.given)).all(...first.values);
    const sql = pageOfActionsQuery(database.client, first.given, each.length);
    return statementFor(sql).all(...each.flatMap(({ values }) => values), bounds.at(-1) as number);
  }

  const head = async (): Promise<number> => (await readHead.get())?.sequence ?? 0;

  return {
    /** The sequence of the newest record. */
    head,
    /**
     * Newest records first, by time and then by sequence. Continuing from `after` shows the trail as it was when the
     * first page was read: each record once, and none added later.
     * @returns with the position of the next page; undefined on the last one
     */
    async page({ from = '', to = END_OF_TIME, ...filter }: AuditFilter, size: number, after?: AuditPosition) {
      const end = after?.head ?? (await head());
      // No record has sequence 0, which makes the bound exclusive.
      const { timestamp, sequence } =
        after !== undefined && after.timestamp < to ? after : { timestamp: to, sequence: 0 };
      const { action, changes = false, ...equal } = filter;
      const actions = (changes ? CHANGE_ACTIONS : action && [action])?.filter((one) => (action ?? one) === one);
      const rows = await newest({ ...equal, actions }, [from, timestamp, timestamp, sequence, end, size + 1]);
      const records = rows.slice(0, size).map(toRecord);
      const last = records.at(-1);
      if (rows.length <= size || last === undefined) return { records };
      const next: AuditPosition = { timestamp: last.timestamp, sequence: last.sequence, head: end };
      return { records, next };
    },
    /** At most `most` records after this sequence, in order. */
    after: async (sequence: number, most: number) => (await newer.all(sequence, most)).map(toRecord),
    /** At most `max` operators who have signed in since then, each with the last sign-in, latest first. */
    async lastLogins(since: string, max: number) {
      const seen = new Set<string>();
      // Two sign-ins in the same millisecond both match; keep the later one.
      return (await lastLogins.all(since, max))
        .map(toRecord)
        .filter(({ actor }) => !seen.has(actor) && seen.add(actor));
    },
  };
}

export type AuditSearch = ReturnType<typeof auditSearch>;

function toRecord({ sequence, record }: Row): AuditRecord {
  const event = JSON.parse(record) as WithTimestamp<AuditEvent>;
  const { timestamp, action } = event;
  const [actor, target, details] =
    event.action === 'identity_search'
      ? [event.adminId, event.searchFilter, {}]
      : [event.actor, event.target, event.details ?? {}];
  return { sequence, timestamp, action, actor, target, subject: subjectOf(event), details };
}
