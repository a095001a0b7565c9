import { setImmediate as breathe } from 'node:timers/promises';
import {
  ADDRESSES_MAX,
  type AddressCount,
  GAPS_MAX,
  outcomeOf,
  type SignInEvent,
  type SignInGap,
  type SignInOutcome,
  type SignInSource,
} from '../../shared/sign-ins.ts';
import type { Database, Statement } from '../db/database.ts';
import { type EventRow, networkOf } from './event-row.ts';
import { END_OF_TIME, type SourceRow } from './event-store.ts';

export interface EventFilter {
  outcome?: SignInOutcome | undefined;
  reason?: string | undefined;
  method?: string | undefined;
  service?: string | undefined;
  country?: string | undefined;
  /** An address or the /64 of IPv6 addresses, in canonical form. */
  address?: string | undefined;
  identity?: string | undefined;
  client?: string | undefined;
  /** ISO 8601 with milliseconds; inclusive. */
  from?: string | undefined;
  /** Exclusive. */
  to?: string | undefined;
}

/** The last row that was read. */
export type EventPosition = Record<'at' | 'trace' | 'event', string>;

/** Rows read at a time where not all of them may match, and at most for a page. */
const SCANNED_AT_ONCE = 1_000;
const SCANNED_MAX = 100_000;
/** Failures that are counted by address. */
const COUNTED_MAX = 50_000;

/** The filters with an index of their own, the most selective first. */
const INDEXED = { identity: 'identity', client: 'client', address: 'network' } as const;
const EQUAL = ['reason', 'method', 'service', 'country', 'identity', 'client'] as const;

/** Times are stored with nanoseconds. */
const exactTime = (time: string): string => time.replace('Z', '000000Z');

export function eventSearch(database: Database) {
  const statements = new Map<string, Statement<EventRow>>();
  const readSources = database.statement<SourceRow>('select * from event_sources order by service');
  const readGaps = database.statement<
    Omit<SignInGap, 'from' | 'to' | 'count'> & { from_at: string; to_at: string; number: number }
  >(`select * from event_gaps order by to_at desc limit ${GAPS_MAX}`);
  const readCounts = database.statement<{ event: SignInOutcome; slot: string; number: number }>(
    "select event, slot, number from event_counts where event in ('succeeded', 'failed') and client = '' and slot >= ?",
  );
  const readAddresses = database.statement<{ address: string | null; number: number }>(
    `select address, sum(number) as number
     from (select address, number, at from sign_in_events where failure = ? and at >= ? order by at desc limit ${COUNTED_MAX}) as latest
     group by address order by 2 desc limit ${ADDRESSES_MAX}`,
  );
  const readUses = database.statement<{ client: string; last_used: string }>(
    'select client, last_used from client_uses where client > ? order by client limit ?',
  );
  const readUse = database.statement<{ client: string; last_used: string }>(
    'select * from client_uses where client = ?',
  );
  const readUsed = database.statement<{ client: string }>('select client from client_uses where last_used >= ?');
  const readTokens = database.statement<{ day: string; number: number }>(
    `select substr(slot, 1, 10) as day, sum(number) as number from event_counts
     where event = 'token' and client = ? and slot >= ? group by substr(slot, 1, 10) order by 1`,
  );

  function statementFor(column: string | undefined): Statement<EventRow> {
    const key = column ?? '';
    // MariaDB would read all rows with this value for every page.
    const hint = column !== undefined && database.client === 'mysql' ? `force index (sign_in_events_${column})` : '';
    const statement =
      statements.get(key) ??
      database.statement<EventRow>(
        `select * from sign_in_events ${hint} where ${column === undefined ? '' : `${column} = ? and `}at >= ? and at <= ?
         and (at < ? or trace < ? or (trace = ? and event < ?)) order by at desc, trace desc, event desc limit ?`,
      );
    statements.set(key, statement);
    return statement;
  }

  return {
    /** The newest matching rows. @returns with the position of the next page; undefined on the last one */
    async page(filter: EventFilter, size: number, after?: EventPosition) {
      const indexed = (Object.keys(INDEXED) as (keyof typeof INDEXED)[]).find((name) => filter[name] !== undefined);
      const statement = statementFor(indexed && INDEXED[indexed]);
      const value = [indexed === 'address' ? networkOf(filter.address ?? '') : indexed && filter[indexed]];
      const bindings = value.filter((one) => one !== undefined);
      const isMatched = (name: string): boolean =>
        name === 'from' || name === 'to' || (name === indexed && name !== 'address');
      const others = Object.entries(filter).filter(([name, value]) => value !== undefined && !isMatched(name));
      const atOnce = others.length === 0 ? size + 1 : SCANNED_AT_ONCE;
      const from = filter.from === undefined ? '' : exactTime(filter.from);
      const end = { at: filter.to === undefined ? END_OF_TIME : exactTime(filter.to), trace: '', event: '' };
      let position: EventPosition = after !== undefined && after.at < end.at ? after : end;
      const found: EventRow[] = [];
      for (let scanned = 0; scanned < SCANNED_MAX; scanned += atOnce) {
        const { at, trace, event } = position;
        const rows = await statement.all(...bindings, from, at, at, trace, trace, event, atOnce);
        for (const row of rows) {
          if (found.length === size && fits(row, filter)) return { rows: found, next: position };
          position = row;
          if (fits(row, filter)) found.push(row);
        }
        if (rows.length < atOnce) return { rows: found, next: undefined };
        await breathe();
      }
      return { rows: found, next: position };
    },
    sources: async (): Promise<SourceRow[]> => readSources.all(),
    gaps: async (): Promise<SignInGap[]> =>
      (await readGaps.all()).map(({ from_at: from, to_at: to, number, ...gap }) => ({
        ...gap,
        from,
        to,
        count: Number(number),
      })),
    /** Sign-ins by outcome and ten minutes (`2026-01-31T09:1`), of these and later. */
    counts: (since: string) => readCounts.all(since.slice(0, 15)),
    /** Failures that name nobody, by address, most first. */
    byAddress: async (failure: EventRow['failure'], since: string): Promise<AddressCount[]> =>
      (await readAddresses.all(failure, exactTime(since))).map(({ address, number }) => ({
        ip: address,
        count: Number(number),
      })),
    /** When clients were last used, by id. */
    uses: (after: string, most: number) => readUses.all(after, most),
    use: (client: string) => readUse.get(client),
    /** The clients that were used since then. */
    usedSince: async (time: string) => new Set((await readUsed.all(exactTime(time))).map(({ client }) => client)),
    tokens: async (client: string, since: string) =>
      (await readTokens.all(client, since.slice(0, 13))).map(({ day, number }) => ({ day, count: Number(number) })),
  };
}

function fits(row: EventRow, filter: EventFilter): boolean {
  const { outcome, address } = filter;
  return (
    EQUAL.every((name) => filter[name] === undefined || row[name] === filter[name]) &&
    (outcome === undefined || outcomeOf(row.event) === outcome) &&
    // The sum of a network has no address.
    (address === undefined || [row.address, row.network].includes(address) || row.address === networkOf(address))
  );
}

export const withMilliseconds = (at: string): string => (at === '' ? at : `${at.slice(0, 23)}Z`);

/** A row as the API shows it. */
export const shownEvent = (row: EventRow): SignInEvent => ({
  id: `${row.at}/${row.trace}/${row.event}`,
  at: withMilliseconds(row.at),
  event: row.event,
  service: row.service,
  identity_id: row.identity,
  session_id: row.session,
  client_id: row.client,
  method: row.method,
  provider: row.provider,
  reason: row.reason,
  ip: row.address,
  country: row.country,
  place: row.place,
  device: row.device,
  count: Number(row.number),
});

export const shownSource = ({ service, api, first_at, last_at, last_event_at, look_at }: SourceRow): SignInSource => ({
  service,
  api: api || null,
  since: withMilliseconds(first_at),
  last_at: withMilliseconds(last_at),
  last_event_at: withMilliseconds(last_event_at) || null,
  unfiltered: look_at !== '' && Date.parse(last_at) - Date.parse(look_at) < 120_000,
});
