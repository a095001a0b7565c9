import type { AuditRecord } from '../../shared/audit.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import { rereading } from './reading.ts';
import type { IndexSources, Kind } from './sources.ts';
import { indexPasses, type Passes, type PassOptions } from './sync.ts';
import { type IndexThread, IndexUnavailable } from './thread.ts';
import { indexWriter } from './writer.ts';

/** The members of an audit record that say what was changed. */
export type WriteRecord = Pick<AuditRecord, 'action' | 'target' | 'subject' | 'details'>;

/** What a write through one of the proxies has changed, as far as the index holds it. */
export type IndexChange =
  /** To be read again. */
  | { how: 'written'; kind: Kind; id: string }
  /** The store no longer has it. */
  | { how: 'removed'; kind: Kind; id: string }
  /** A session has ended; the store still lists it. */
  | { how: 'ended'; session: string }
  /** The store no longer has a session of this person. */
  | { how: 'ended-of'; person: string }
  /** People of whom no id is known; `listed` if they are named in the body of the answer. */
  | { how: 'unknown'; listed: boolean };

const KINDS: Record<string, Kind> = { identity: 'people', session: 'sessions', client: 'clients' };
const OF_STORE = /^\/api\/([^/]+)\/(?:admin\/)?(identities|sessions|clients)(\/[^/]+)?(\/sessions)?$/i;

/**
 * @param store whose people are in the index: there may be another one
 * @returns undefined if nothing of the index is changed
 */
export function changeOf(
  { action, target, subject, details }: WriteRecord,
  store: UpstreamName,
): IndexChange | undefined {
  if (action !== 'proxy_write' || target === null) return undefined;
  const { method, status } = details;
  // Refused, so that nothing has changed; a 404 says that it is gone. Without a status nobody knows.
  if (typeof status === 'number' && status >= 400 && status < 500 && status !== 404) return undefined;
  const isDone = typeof status === 'number' && status < 300;
  const [, api, list, one, sessions] = OF_STORE.exec(target) ?? [];

  const [type = '', ...rest] = subject?.split(':') ?? [];
  const kind = KINDS[type];
  const id = rest.join(':');
  if (target.split('/')[2] !== (kind === 'clients' ? 'oauth-admin' : store)) return undefined;
  if (kind === undefined) {
    const isBatch = api === store && list === 'identities' && one === undefined;
    return isBatch ? { how: 'unknown', listed: isDone && method === 'PATCH' } : undefined;
  }
  if (method === 'DELETE' && kind === 'people' && sessions !== undefined && (isDone || status === 404))
    return { how: 'ended-of', person: id };
  if (method === 'DELETE' && isDone && list !== undefined && sessions === undefined)
    return kind === 'sessions' ? { how: 'ended', session: id } : { how: 'removed', kind, id };
  return { how: 'written', kind, id };
}

/** The audit trail, in which every replica records its writes. */
export interface Trail {
  /** The sequence of the newest record. */
  head(): Promise<number>;
  /** The records after this one, in order; at most `most`. */
  after(sequence: number, most: number): Promise<AuditRecord[]>;
}

export interface TrailWatch {
  /** Looks now, if it does not do so anyway. */
  wake(): void;
  /** This process has written this, and has already noted it: its record is passed over. */
  own(record: WriteRecord): void;
  stop(): void;
}

/** Other replicas' writes are seen after at most this time plus two reads: less than five seconds. */
const POLL_MS = 2_500;
const PAGE = 200;
/** Farther behind than this, all people are read again instead. */
const BEHIND = 2_000;
/** How many own writes are kept, and for how long, until their records come. */
const OWN = 10_000;
const OWN_MS = 30_000;

/**
 * Follows the audit trail from where it stands at the first look.
 * @param isAsked it is followed while this is true
 * @param note takes each new record
 * @param missed called where records were passed over
 */
export function trailWatch(options: {
  trail: Trail;
  isAsked: () => boolean;
  note: (record: AuditRecord) => void;
  missed: () => void;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pollMs?: number;
}): TrailWatch {
  const { trail, isAsked, note, missed, monotonic, log, pollMs = POLL_MS } = options;
  const own = new Map<string, number>();
  let seen: number | undefined;
  let away = false;
  let looking = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const keyOf = ({ target, subject, details }: WriteRecord): string =>
    JSON.stringify([target, subject, details['method'], details['status']]);

  function isOwn(record: AuditRecord): boolean {
    const key = keyOf(record);
    const at = own.get(key);
    own.delete(key);
    return at !== undefined && monotonic() - at < OWN_MS;
  }

  async function look(): Promise<void> {
    const head = await trail.head();
    // At first, after a time in which it could not be read, or in a database that was restored from a backup.
    if (seen === undefined || head < seen || head - seen > BEHIND) {
      if (seen !== undefined || away) missed();
      seen = head;
    }
    while (seen < head && !stopped) {
      const records = await trail.after(seen, PAGE);
      // Pruned since: they were not seen.
      if (records[0]?.sequence !== seen + 1) missed();
      for (const record of records) if (!isOwn(record)) note(record);
      seen = records.at(-1)?.sequence ?? head;
    }
  }

  async function follow(): Promise<void> {
    looking = true;
    try {
      await look();
      away = false;
    } catch (error) {
      if (!away && !stopped) log.warn({ error }, 'the index cannot see what other replicas write');
      away = true;
    }
    looking = false;
    if (!stopped && isAsked()) timer = setTimeout(follow, pollMs).unref();
    else timer = undefined;
  }

  return {
    wake() {
      if (!looking && timer === undefined && !stopped) void follow();
    },
    own(record) {
      if (own.size >= OWN) own.delete(own.keys().next().value as string);
      own.set(keyOf(record), monotonic());
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Keeps the index as the store is: by passes, and by what is written through this replica and the others. */
export interface IndexUpkeep extends Pick<Passes, 'asked' | 'state' | 'ended' | 'refreshed' | 'forgetAll'> {
  /** These are gone from the store. */
  removed(kind: Kind, ids: readonly string[]): void;
  /** Something was written through this replica. */
  noted(record: WriteRecord): void;
  /** A batch of people was written; undefined if its answer did not say who. */
  batchWritten(people: readonly string[] | undefined): void;
  /** Resolves when what was written through us is in the index, undefined if it is. */
  settled(): Promise<unknown> | undefined;
  stop(): Promise<void>;
}

export interface UpkeepOptions {
  database: Database;
  sources: IndexSources;
  trail: Trail;
  /** The API of the store whose people are in the index. */
  store: UpstreamName;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: PassOptions['pace'];
  /** Something else than a pass has changed the index. */
  onChange: () => void;
}

export function indexUpkeep(index: IndexThread, options: UpkeepOptions): IndexUpkeep {
  const { database, sources, trail, store, now, monotonic, log, pace, onChange } = options;
  const writer = indexWriter({ index, sources, reread: (kind, ids) => again.reread(kind, ids), onChange });
  const passes = indexPasses({
    index,
    writer,
    sources,
    lease: lease(database, 'index'),
    now,
    monotonic,
    log,
    ...(pace && { pace }),
  });
  const again = rereading({ read: sources.byId, writer, leave: passes.bringForward, log });
  const watch = trailWatch({
    trail,
    isAsked: passes.isAsked,
    note(record) {
      const change = changeOf(record, store);
      if (change !== undefined) apply(change);
    },
    missed: passes.bringForward,
    monotonic,
    log,
  });

  /** A change that did not get in comes with the next pass. */
  const orRead = (done: Promise<void>): void =>
    void done.catch((error) => {
      passes.bringForward();
      // A worker that has ended begins anew with everything.
      if (!(error instanceof IndexUnavailable)) log.warn({ error }, 'the index of identities missed a change');
    });

  function apply(change: IndexChange): void {
    switch (change.how) {
      case 'written':
        writer.noteWritten(change.kind, change.id);
        again.reread(change.kind, [change.id]);
        break;
      case 'removed':
        orRead(writer.remove(change.kind, [change.id]));
        break;
      case 'ended':
        orRead(writer.endSession(change.session));
        break;
      case 'ended-of':
        orRead(writer.endSessionsOf(change.person));
        break;
      case 'unknown':
        passes.bringForward();
    }
  }

  return {
    asked() {
      passes.asked();
      watch.wake();
    },
    state: passes.state,
    ended: passes.ended,
    refreshed: passes.refreshed,
    forgetAll: passes.forgetAll,
    removed: (kind, ids) => orRead(writer.remove(kind, ids)),
    noted(record) {
      const change = changeOf(record, store);
      if (change === undefined) return;
      watch.own(record);
      // The ids of such a batch come with the body of its answer.
      if (change.how !== 'unknown' || !change.listed) apply(change);
    },
    batchWritten(people) {
      if (people === undefined) return passes.bringForward();
      for (const id of people) writer.noteWritten('people', id);
      again.reread('people', people);
    },
    settled: again.settled,
    async stop() {
      watch.stop();
      await passes.stop();
    },
  };
}
