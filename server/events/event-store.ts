import { hash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Knex } from 'knex';
import { FAILURES_A_MINUTE, outcomeOf, type SignInSource } from '../../shared/sign-ins.ts';
import { BoundedMap } from '../caches.ts';
import type { Database } from '../db/database.ts';
import { isDuplicate } from '../db/errors.ts';
import { type EventRow, FAILURE } from './event-row.ts';

/** What a request says. */
export interface EventBatch {
  /** SHA-256 of the body, in hexadecimal. */
  digest: string;
  rows: EventRow[];
  tokens: { client: string; grant: string; at: string }[];
  /** Identities that were created, changed or deleted. */
  identities: Map<string, { isDeleted: boolean }>;
  /** Devices by trace, from spans of requests. */
  devices: Map<string, string>;
  sources: Map<string, SourceRow>;
}

/** What is known of a service that sends events. Times in ISO 8601; empty if none. */
export interface SourceRow {
  service: string;
  api: NonNullable<SignInSource['api']> | '';
  first_at: string;
  last_at: string;
  last_event_at: string;
  /** When a span of our own regular check arrived last. */
  look_at: string;
}

/** Sorts after every time. */
export const END_OF_TIME = '~';

/** Rows of which the device is still unknown, since the span of the request ends after those within it. */
const AWAITED_MAX = 2_000;
/** Services whose names are remembered. */
const SOURCES_MAX = 100;
/** Databases limit the values of a statement. A Collector sends 8,192 spans at once. */
const PART = 50;

/** Stores what the services report. */
export function eventStore({ database, now }: { database: Database; now: () => number }) {
  const awaited = new BoundedMap<string, Pick<EventRow, 'at' | 'trace' | 'event'>[]>(AWAITED_MAX);
  let sources = new Map<string, SourceRow>();

  /**
   * Stores a request once, all or nothing.
   * @returns how many rows were stored; undefined if the same request had been stored within the last hour
   */
  async function store(batch: EventBatch): Promise<number | undefined> {
    const { digest, rows, tokens, identities, devices } = batch;
    const late = [...devices].flatMap(([trace, device]) =>
      (awaited.get(trace) ?? []).map((row) => ({ ...row, device })),
    );
    sources = mergedSources(sources, batch.sources);
    if (rows.length + tokens.length + identities.size + late.length === 0) return 0;
    for (const row of rows) row.device = devices.get(row.trace) ?? null;
    const pending = sources;
    try {
      const stored = await database.transaction(async (trx) => {
        await trx('event_digests').insert({ digest, received_at: new Date(now()).toISOString() });
        // One replica after the other, so that each counts what the others have stored.
        if (rows.length > 0) await trx('event_state').where({ id: 1 }).forUpdate().first('id');
        for (const { device, ...row } of late) await trx('sign_in_events').where(row).update({ device });
        const fresh = await withoutStored(trx, rows);
        await breathe();
        const split = await withoutSurplus(trx, fresh);
        await breathe();
        for await (const some of inParts(split.single))
          await trx('sign_in_events').insert(some).onConflict(['at', 'trace', 'event']).ignore();
        for (const row of split.summed)
          await trx('sign_in_events')
            .insert(row)
            .onConflict(['at', 'trace', 'event'])
            .merge({ number: trx.raw('sign_in_events.number + ?', [row.number]) });
        await breathe();
        await count(trx, fresh, tokens);
        await breathe();
        await noteIdentities(trx, identities, new Date(now()).toISOString());
        await writeSources(trx, pending);
        return fresh.length;
      });
      if (sources === pending) sources = new Map();
      for (const trace of devices.keys()) awaited.delete(trace);
      for (const { at, trace, event, device } of rows)
        if (device === null) awaited.set(trace, [...(awaited.get(trace) ?? []), { at, trace, event }]);
      return stored;
    } catch (error) {
      if (isDuplicate(error)) return undefined;
      throw error;
    }
  }

  return {
    store,
    /** Stores which services have sent something since the last time. */
    async flushSources(): Promise<void> {
      const pending = sources;
      if (pending.size === 0) return;
      await database.transaction((trx) => writeSources(trx, pending));
      if (sources === pending) sources = new Map();
    },
  };
}
export type EventStore = ReturnType<typeof eventStore>;

/** Rows for one statement each. Other requests are served in between, since SQLite blocks them. */
async function* inParts<Row>(rows: readonly Row[]): AsyncGenerator<Row[]> {
  for (let start = 0; start < rows.length; start += PART) {
    if (start > 0) await breathe();
    yield rows.slice(start, start + PART);
  }
}

/** A sender repeats what another replica has stored, in a request of its own. */
async function withoutStored(trx: Knex.Transaction, rows: EventRow[]): Promise<EventRow[]> {
  if (rows.length === 0) return rows;
  const times = [...new Set(rows.map(({ at }) => at))];
  const keyOf = ({ at, trace, event }: Pick<EventRow, 'at' | 'trace' | 'event'>): string => `${at} ${trace} ${event}`;
  const known = new Set<string>();
  for await (const some of inParts(times))
    for (const row of await trx('sign_in_events').whereIn('at', some).select<EventRow[]>('at', 'trace', 'event'))
      known.add(keyOf(row));
  return rows.filter((row) => {
    const isNew = !known.has(keyOf(row));
    known.add(keyOf(row));
    return isNew;
  });
}

/** Rows that are stored as they are, and those that are summed up by minute, network and client. */
async function withoutSurplus(trx: Knex.Transaction, rows: EventRow[]) {
  const single = rows.filter(({ failure }) => failure === FAILURE.ofSomebody);
  const summed: EventRow[] = [];
  const groups = new Map<string, EventRow[]>();
  for (const row of rows) {
    if (row.failure === FAILURE.ofSomebody) continue;
    const key = JSON.stringify([row.network, row.at.slice(0, 16), row.event, row.client]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  for (const [key, group] of groups) {
    if (groups.size > PART) await breathe();
    const [first] = group as [EventRow];
    const { network, event, client } = first;
    const minute = first.at.slice(0, 16);
    const found = await trx('sign_in_events')
      .where({ network, event, client, number: 1 })
      .andWhere('at', '>=', minute)
      .andWhere('at', '<', `${minute}${END_OF_TIME}`)
      .count<{ stored: number }[]>({ stored: '*' });
    const room = Math.max(FAILURES_A_MINUTE - Number(found[0]?.stored ?? 0), 0);
    single.push(...group.slice(0, room));
    const number = group.length - room;
    if (number > 0)
      summed.push({
        ...first,
        ...{ at: `${minute}:59.999999999Z`, trace: hash('sha256', key).slice(0, 32), number, address: network || null },
        ...{ session: null, device: null },
      });
  }
  return { single, summed };
}

/** Counts sign-ins by ten minutes, and tokens by client, grant and hour, with the last use of each client. */
async function count(trx: Knex.Transaction, rows: EventRow[], tokens: EventBatch['tokens']): Promise<void> {
  const counts = new Map<string, { event: string; client: string; grant_type: string; slot: string; number: number }>();
  const add = (event: string, client: string, grant_type: string, slot: string): void => {
    const key = JSON.stringify([event, client, grant_type, slot]);
    const row = counts.get(key) ?? { event, client, grant_type, slot, number: 0 };
    counts.set(key, { ...row, number: row.number + 1 });
  };
  for (const { event, at } of rows) if (event.startsWith('Login')) add(outcomeOf(event), '', '', at.slice(0, 15));
  const uses = new Map<string, string>();
  for (const { client, grant, at } of tokens) {
    add('token', client, grant, at.slice(0, 13));
    if (at > (uses.get(client) ?? '')) uses.set(client, at);
  }
  for (const row of counts.values())
    await trx('event_counts')
      .insert(row)
      .onConflict(['event', 'client', 'grant_type', 'slot'])
      .merge({ number: trx.raw('event_counts.number + ?', [row.number]) });
  for (const [client, last_used] of uses)
    await trx('client_uses')
      .insert({ client, last_used })
      .onConflict('client')
      .merge({ last_used: laterOf(trx, 'client_uses.last_used', last_used) });
}

const laterOf = (trx: Knex.Transaction, column: string, time: string): Knex.Raw =>
  trx.raw(`case when ${column} > ? then ${column} else ? end`, [time, time]);

/**
 * Numbers changes of identities in the order in which they are committed, so that every replica's index reads them again;
 * and deletes what is stored of deleted ones.
 */
export async function noteIdentities(
  trx: Knex.Transaction,
  identities: EventBatch['identities'],
  at: string,
): Promise<void> {
  if (identities.size === 0) return;
  await trx('event_state').where({ id: 1 }).increment('version', identities.size);
  const { version } = await trx('event_state').where({ id: 1 }).first('version');
  let number = Number(version) - identities.size;
  const changes = [...identities].map(([identity, { isDeleted }]) => {
    number += 1;
    return { number, identity, deleted: Number(isDeleted), at };
  });
  for await (const some of inParts(changes)) await trx('identity_changes').insert(some);
}

async function writeSources(trx: Knex.Transaction, sources: ReadonlyMap<string, SourceRow>): Promise<void> {
  for (const row of sources.values()) {
    const { service } = row;
    const [counted] = await trx('event_sources').whereNot({ service }).count<{ others: number }[]>({ others: '*' });
    if (Number(counted?.others) >= SOURCES_MAX) continue;
    // Two replicas may hear of a service at the same time.
    await trx('event_sources').insert(row).onConflict('service').ignore();
    const stored = await trx('event_sources').where({ service }).forUpdate().first();
    await trx('event_sources').where({ service }).update(mergedSource(stored, row));
  }
}

function mergedSources(into: ReadonlyMap<string, SourceRow>, from: ReadonlyMap<string, SourceRow>) {
  const merged = new Map(into);
  for (const [service, row] of from) {
    const before = merged.get(service);
    merged.set(service, before === undefined ? row : mergedSource(before, row));
  }
  return merged;
}

export const mergedSource = (a: SourceRow, b: SourceRow): SourceRow => ({
  service: b.service,
  api: b.api || a.api,
  first_at: a.first_at < b.first_at ? a.first_at : b.first_at,
  last_at: later(a.last_at, b.last_at),
  last_event_at: later(a.last_event_at, b.last_event_at),
  look_at: later(a.look_at, b.look_at),
});

const later = (a: string, b: string): string => (a > b ? a : b);
