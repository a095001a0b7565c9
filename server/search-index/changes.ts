import type { AuditRecord } from '../../shared/audit.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import type { Kind } from './database.ts';
import { type IndexWriter, indexWriter } from './list-sync.ts';
import type { IndexSources } from './sources.ts';
import { indexSync, type SyncOptions } from './sync.ts';
import { IndexUnavailable, type RemoteCommands } from './thread.ts';

/** The members of an audit record that say what was changed. */
export type WriteRecord = Pick<AuditRecord, 'action' | 'target' | 'subject' | 'details'>;

/** What a write through one of the proxies has changed, as far as the index has it. */
export type IndexChange =
  /** It has to be read again, or the store no longer has it. */
  | { how: 'written' | 'removed'; kind: Kind; id: string }
  /** A session has ended; the store still lists it. */
  | { how: 'ended'; session: string }
  /** The store no longer has a session of this person. */
  | { how: 'ended-of'; person: string }
  /** People with unknown ids; `listed` if the body of the response names them. */
  | { how: 'unknown'; listed: boolean };

const KIND_OF: Record<string, Kind> = { identity: 'people', session: 'sessions', client: 'clients' };
const LIST_PATH = /^\/api\/([^/]+)\/(?:admin\/)?(identities|sessions|clients)(\/[^/]+)?(\/sessions)?$/i;

/**
 * @param store whose people are in the index: there may be another one
 * @returns undefined if nothing in the index is changed
 */
export function changeOf(
  { action, target, subject, details }: WriteRecord,
  store: UpstreamName,
): IndexChange | undefined {
  if (action !== 'proxy_write' || target === null) return undefined;
  const { method, status } = details;
  // A refused write changes nothing; a 404 says that it is gone. Without a status nobody knows.
  if (typeof status === 'number' && status >= 400 && status < 500 && status !== 404) return undefined;
  const isDone = typeof status === 'number' && status < 300;
  const [, api, list, one, sessions] = LIST_PATH.exec(target) ?? [];

  const [type = '', ...rest] = subject?.split(':') ?? [];
  const kind = KIND_OF[type];
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

/** Other replicas' writes are seen after at most this time plus two reads: less than five seconds. */
const POLL_MS = 2_500;
const PAGE = 200;
/** Farther behind than this, all people are read again instead. */
const BEHIND = 2_000;
/** How many of our own writes are remembered, and for how long, until their records come. */
const OWN = 10_000;
const OWN_MS = 30_000;

/**
 * Follows the audit trail from where it ends at the first look.
 * @param options.isUsed it is followed while this is true
 * @param options.onRecord called for each new record
 * @param options.onGap called where records were skipped
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function followTrail(options: {
  trail: Trail;
  isUsed: () => boolean;
  onRecord: (record: AuditRecord) => void;
  onGap: () => void;
  monotonic: () => number;
  log: Log;
  pollMs?: number;
}) {
  const { trail, isUsed, onRecord, onGap, monotonic, log, pollMs = POLL_MS } = options;
  const own = new Map<string, number>();
  let seen: number | undefined;
  let isAway = false;
  let isLooking = false;
  let isStopped = false;
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
      if (seen !== undefined || isAway) onGap();
      seen = head;
    }
    while (seen < head && !isStopped) {
      const records = await trail.after(seen, PAGE);
      // The others were pruned.
      if (records[0]?.sequence !== seen + 1) onGap();
      for (const record of records) if (!isOwn(record)) onRecord(record);
      seen = records.at(-1)?.sequence ?? head;
    }
  }

  async function follow(): Promise<void> {
    isLooking = true;
    try {
      await look();
      isAway = false;
    } catch (error) {
      if (!isAway && !isStopped) log.warn({ error }, 'the index cannot see what other replicas write');
      isAway = true;
    }
    isLooking = false;
    timer = !isStopped && isUsed() ? setTimeout(follow, pollMs).unref() : undefined;
  }

  return {
    /** Looks now, unless it is looking or about to. */
    wake(): void {
      if (!isLooking && timer === undefined && !isStopped) void follow();
    },
    /** Skips the record of this write: the process has already applied it. */
    skip(record: WriteRecord): void {
      if (own.size >= OWN) own.delete(own.keys().next().value as string);
      own.set(keyOf(record), monotonic());
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** More ids would make a `Link` header that is too long: it repeats them. */
export const IDS_PER_REQUEST = 100;
const PER_REQUEST: Record<Kind, number> = { people: IDS_PER_REQUEST, sessions: 1, clients: 1 };
/** More rows than these are left to the next full sync. */
const WAITING = 10_000;

/**
 * Reads rows again that were written through the service: one request at a time for each list.
 * @param options.giveUp called where that is not possible: the next full sync has to do it
 */
function refreshQueue(options: {
  byId: IndexSources['byId'];
  writer: Pick<IndexWriter, 'put' | 'remove'>;
  giveUp: () => void;
  log: Log;
}) {
  const { byId, writer, giveUp, log } = options;
  const waiting: Record<Kind, Set<string>> = { people: new Set(), sessions: new Set(), clients: new Set() };
  const running = new Map<Kind, Promise<void>>();

  async function readAll(kind: Kind): Promise<void> {
    const all = waiting[kind];
    while (all.size > 0) {
      const ids = [...all].slice(0, PER_REQUEST[kind]);
      for (const id of ids) all.delete(id);
      const found = new Set((await writer.put(kind, async () => ({ text: await byId(kind, ids) }))).ids);
      const gone = ids.filter((id) => !found.has(id));
      if (gone.length > 0) await writer.remove(kind, gone);
    }
  }

  function begin(kind: Kind): void {
    if (running.has(kind) || waiting[kind].size === 0) return;
    const done = readAll(kind)
      .catch((error) => {
        waiting[kind].clear();
        giveUp();
        // Without a worker there is no index, and everything is read anew.
        if (!(error instanceof IndexUnavailable))
          log.warn({ error, list: kind }, 'what was written could not be read again for the index');
      })
      .finally(() => {
        running.delete(kind);
        begin(kind);
      });
    running.set(kind, done);
  }

  return {
    add(kind: Kind, ids: readonly string[]): void {
      if (waiting[kind].size + ids.length > WAITING) giveUp();
      else {
        for (const id of ids) waiting[kind].add(id);
        begin(kind);
      }
    },
    /** Resolves when the queue is empty; undefined if it is. */
    settled: (): Promise<unknown> | undefined => (running.size === 0 ? undefined : Promise.all(running.values())),
  };
}

export interface ChangesOptions extends Pick<SyncOptions, 'now' | 'monotonic' | 'log' | 'pace'> {
  database: Database;
  sources: IndexSources;
  trail: Trail;
  /** The API of the store whose people are in the index. */
  store: UpstreamName;
  /** Called when something else than a sync has changed the index. */
  onChange: () => void;
}

/** Keeps the index like the store: by syncs, and by what is written through this replica and the others. */
export function indexChanges(index: RemoteCommands, options: ChangesOptions) {
  const { database, sources, trail, store, now, monotonic, log, pace, onChange } = options;
  const writer = indexWriter({ index, sources, refresh: (kind, ids) => queue.add(kind, ids), onChange });
  const sync = indexSync({ index, writer, sources, lease: lease(database, 'index'), now, monotonic, log, pace });
  const queue = refreshQueue({ byId: sources.byId, writer, giveUp: sync.bringForward, log });
  const follower = followTrail({
    trail,
    isUsed: sync.isUsed,
    onRecord(record) {
      const change = changeOf(record, store);
      if (change !== undefined) apply(change);
    },
    onGap: sync.bringForward,
    monotonic,
    log,
  });

  /** A change that could not be made comes with the next full sync. */
  const orSync = (done: Promise<void>): void =>
    void done.catch((error) => {
      sync.bringForward();
      // A worker that was restarted reads everything anew.
      if (!(error instanceof IndexUnavailable)) log.warn({ error }, 'the index of identities missed a change');
    });

  function refresh(kind: Kind, ids: readonly string[]): void {
    writer.noteWritten(kind, ids);
    queue.add(kind, ids);
  }

  function apply(change: IndexChange): void {
    if (change.how === 'unknown') sync.bringForward();
    else if (change.how === 'ended') orSync(writer.endSession(change.session));
    else if (change.how === 'ended-of') orSync(writer.removeSessionsOf(change.person));
    else if (change.how === 'removed') orSync(writer.remove(change.kind, [change.id]));
    else refresh(change.kind, [change.id]);
  }

  return {
    ...sync,
    onQuery(): void {
      sync.onQuery();
      follower.wake();
    },
    /** The store no longer has these. */
    removed: (kind: Kind, ids: readonly string[]) => orSync(writer.remove(kind, ids)),
    /** Something was written through this replica. */
    written(record: WriteRecord): void {
      const change = changeOf(record, store);
      if (change === undefined) return;
      follower.skip(record);
      // The ids of such a batch come with the body of its response.
      if (change.how !== 'unknown' || !change.listed) apply(change);
    },
    /** A batch of people was written; undefined if the response did not say who. */
    batchWritten: (people: readonly string[] | undefined): void =>
      people === undefined ? sync.bringForward() : refresh('people', people),
    /** Resolves when what was written through us is in the index; undefined if it is. */
    settled: queue.settled,
    async stop(): Promise<void> {
      follower.stop();
      await sync.stop();
    },
  };
}
