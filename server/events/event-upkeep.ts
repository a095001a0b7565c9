import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { EventRefusal, SignInGap, SignInSource } from '../../shared/sign-ins.ts';
import { whileRunning } from '../caches.ts';
import type { Clock } from '../context.ts';
import { type Database, deleteOldRows } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import { FAILURE } from './event-row.ts';
import type { EventStore, SourceRow } from './event-store.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const TICK_MS = 10 * SECOND_MS;
/** Senders retry for half a minute: after a shorter time without a listener, nothing is missing. */
const UNHEARD_MS = 45 * SECOND_MS;
/** Our own checks arrive every 30 seconds where all spans are sent. */
const SILENCE_MS = 120 * SECOND_MS;
/** Refusals that are closer together than this are one gap. */
const ONE_GAP_MS = 5 * 60 * SECOND_MS;
const PRUNE_EVERY_MS = HOUR_MS;
const LEASE_SECONDS = 60;
const ROWS_MAX = 1_000_000;
/** How many more rows a replica stores before it counts them all. */
const COUNT_EVERY = 1_000;
const STEP = 500;
const PAUSE_MS = 20;
/** Clients of the OAuth server that are looked up in an hour. */
const LOOKED_UP = 10;
/** What arrives later than this after a deletion is not deleted before its retention ends. */
const LATE_MS = HOUR_MS;

interface UpkeepOptions extends Clock {
  database: Database;
  store: Pick<EventStore, 'flushSources'>;
  days: number;
  /** Since when an API has responded to our regular checks (ISO 8601); undefined if it does not. */
  answersSince: (api: NonNullable<SignInSource['api']>) => Promise<string | undefined>;
  /** Whether the OAuth server says that it has no such client; false if it says nothing. */
  isClientGone: (client: string) => Promise<boolean>;
  log: Pick<Log, 'warn' | 'info'>;
  rowsMax?: number;
}

/** Deletes old events, and notes in which times events may be missing. */
export function eventUpkeep(options: UpkeepOptions) {
  const { database, store, days, answersSince, isClientGone, now, monotonic, log, rowsMax = ROWS_MAX } = options;
  const only = lease(database, 'sign-in-log');
  const refusals = new Map<EventRefusal, { from: string; to: string; count: number }>();
  let listens = false;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let storedSince = COUNT_EVERY;
  let isFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  /** Before it, no replica may have listened. */
  const startedAt = new Date(now()).toISOString();

  const before = (ms: number): string => new Date(now() - ms).toISOString();

  /** Notes that a replica listens; and for how long none did, unless it was this one that could not store it. */
  async function beat(): Promise<void> {
    await database.transaction(async (trx) => {
      const { listened_at } = await trx('event_state').where({ id: 1 }).forUpdate().first('listened_at');
      const time = before(0);
      if (!listens && listened_at !== '' && listened_at < before(UNHEARD_MS))
        await addGap(trx, { cause: 'not_listening', detail: '', from: listened_at, to: time, count: 0 });
      // A clock that was ahead has been set back.
      const isAhead = listened_at > before(-UNHEARD_MS);
      if (time > listened_at || isAhead) await trx('event_state').where({ id: 1 }).update({ listened_at: time });
    });
    listens = true;
  }

  async function writeRefusals(): Promise<void> {
    for (const [detail, gap] of refusals) {
      const noted = { ...gap };
      await database.transaction((trx) => addGap(trx, { cause: 'refused', detail, ...noted }));
      gap.count -= noted.count;
      if (gap.count === 0) refusals.delete(detail);
    }
  }

  /** A service that sends all its spans would have sent those of our own checks. */
  async function noteSilence(): Promise<void> {
    const sources = await database.knex('event_sources').select<SourceRow[]>();
    for (const { service, api, last_at, look_at } of sources) {
      const isUnfiltered = look_at !== '' && look_at >= earlier(last_at, SILENCE_MS);
      if (api === '' || !isUnfiltered || last_at >= before(SILENCE_MS)) continue;
      const since = await answersSince(api);
      if (since === undefined) continue;
      const from = [since, last_at, startedAt].sort().at(-1) as string;
      if (from > before(SILENCE_MS)) continue;
      await database.transaction((trx) =>
        addGap(trx, { cause: 'silent', detail: service, from, to: before(0), count: 0 }),
      );
    }
  }

  async function prune(): Promise<void> {
    const started = monotonic();
    const old = before(days * DAY_MS);
    const tables: [table: string, column: string, below: string][] = [
      ['event_digests', 'received_at', before(HOUR_MS)],
      ['sign_in_events', 'at', old],
      ['event_counts', 'slot', old],
      ['event_gaps', 'to_at', old],
      ['event_sources', 'last_at', old],
    ];
    for (const [table, column, below] of tables) await deleteOldRows(database, { table, column, below });
    await deleteLate();
    await forgetDeletedClients();
    prunedAt = started;
  }

  /** Deletes what arrived about deleted identities after their deletion. */
  async function deleteLate(): Promise<void> {
    const due = before(LATE_MS);
    const rows = await database
      .knex('identity_changes')
      .where('at', '<', due)
      .andWhere({ deleted: 1 })
      .select<{ identity: string }[]>('identity');
    for (const { identity } of rows) await forget(identity);
    await deleteOldRows(database, { table: 'identity_changes', column: 'at', below: due });
  }

  /** Looks up some clients without a token for a day, in each hour others, until it is their turn again. */
  async function forgetDeletedClients(): Promise<void> {
    const unused = database.knex('client_uses').where('last_used', '<', before(DAY_MS));
    const [counted] = await unused.clone().count<{ clients: number }[]>({ clients: '*' });
    const turns = Math.ceil(Number(counted?.clients ?? 0) / LOOKED_UP);
    const turn = Math.floor(now() / HOUR_MS) % Math.max(turns, 1);
    const some = unused
      .orderBy('client')
      .limit(LOOKED_UP)
      .offset(turn * LOOKED_UP);
    for (const { client } of await some.select<{ client: string }[]>('client'))
      if (!stopped && (await isClientGone(client))) await forgetClient(client);
  }

  async function forgetClient(client: string): Promise<void> {
    await database.transaction(async (trx) => {
      await trx('client_uses').where({ client }).delete();
      await trx('event_counts').where({ event: 'token', client }).delete();
    });
  }

  async function forget(identity: string): Promise<void> {
    await inSteps((trx) => trx('sign_in_events').where({ identity }));
  }

  /** Of too many rows, failures that name nobody are deleted first, then the oldest. */
  async function trim(): Promise<void> {
    const [counted] = await database.knex('sign_in_events').count<{ rows: number }[]>({ rows: '*' });
    let surplus = Number(counted?.rows ?? 0) - rowsMax;
    const oldest = (trx: Knex.Transaction) => trx('sign_in_events').orderBy('at');
    for (const failure of [FAILURE.ofNobody, FAILURE.ofNoClient])
      if (surplus > 0) surplus -= await inSteps((trx) => oldest(trx).where({ failure }), surplus);
    if (surplus > 0) await inSteps(oldest, surplus);
    storedSince = 0;
  }

  /** Deletes at most `most` of these rows. */
  async function inSteps(
    rows: (trx: Knex.Transaction) => Knex.QueryBuilder,
    most = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    let all = 0;
    while (all < most && !stopped) {
      const limit = Math.min(STEP, most - all);
      const deleted = await database.transaction((trx) => {
        const some = rows(trx).limit(limit);
        if (database.client === 'mysql') return some.delete();
        return trx('sign_in_events').whereIn('rowid', some.select('rowid')).delete();
      });
      all += deleted;
      if (deleted < limit) break;
      await sleep(PAUSE_MS, undefined, { ref: false });
    }
    return all;
  }

  /** One replica deletes what is old or too much. */
  async function tidy(): Promise<void> {
    const isHour = monotonic() - prunedAt >= PRUNE_EVERY_MS;
    const isDue = isHour || storedSince >= COUNT_EVERY;
    if (stopped || !isDue || !(await only.hold(LEASE_SECONDS))) return;
    if (storedSince >= COUNT_EVERY) await trim();
    if (isHour) await prune();
  }

  async function note(): Promise<void> {
    await beat();
    await store.flushSources();
    await writeRefusals();
    await noteSilence();
  }

  async function orWarn(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (isFailing) log.info('the sign-in log can be stored again');
      isFailing = false;
    } catch (error) {
      if (!isFailing && !stopped) log.warn({ error }, 'the sign-in log cannot be stored');
      isFailing = true;
    }
  }

  /** Deleting may take minutes, in which this replica still listens. */
  const tidying = whileRunning(() => orWarn(tidy));
  const noting = whileRunning(() => orWarn(note));

  async function tick(): Promise<void> {
    await noting();
    if (stopped) return;
    void tidying();
    timer = setTimeout(tick, TICK_MS).unref();
  }

  return {
    /** Notes that this replica listens, and looks after the log from now on. */
    start: tick,
    /** Does now what is done regularly, after what is being done. */
    async run(): Promise<void> {
      await tidying();
      await noting();
      await tidying();
    },
    stored(rows: number): void {
      storedSince += rows;
    },
    refused(reason: EventRefusal): void {
      const time = before(0);
      const gap = refusals.get(reason) ?? { from: time, to: time, count: 0 };
      refusals.set(reason, Object.assign(gap, { to: time, count: gap.count + 1 }));
    },
    forget,
    /** Deletes what is known of the tokens of a client. */
    forgetClient,
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await noting();
      await tidying();
      await only.release().catch(() => {});
    },
  };
}

const earlier = (at: string, ms: number): string => new Date(Date.parse(at) - ms).toISOString();

/** Adds a gap, or extends the one that it continues. */
async function addGap(trx: Knex.Transaction, { cause, detail, from, to, count }: SignInGap): Promise<void> {
  const before = trx('event_gaps').where({ cause, detail }).andWhere('from_at', '<=', from);
  const last = await before.orderBy('from_at', 'desc').forUpdate().first();
  if (last !== undefined && last.to_at >= earlier(from, cause === 'refused' ? ONE_GAP_MS : 0)) {
    const to_at = to > last.to_at ? to : last.to_at;
    await trx('event_gaps')
      .where({ cause, detail, from_at: last.from_at })
      .update({ to_at, number: Number(last.number) + count });
  } else await trx('event_gaps').insert({ cause, detail, from_at: from, to_at: to, number: count });
}
