import type { AuditRecord } from '../../shared/audit.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { BoundedMap } from '../caches.ts';
import type { Database } from '../db/database.ts';
import { lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import type { Kind } from './database.ts';
import type { IndexSources } from './sources.ts';
import { indexSync, type SyncOptions } from './sync.ts';
import { IndexUnavailable, type RemoteCommands } from './thread.ts';
import { indexWriter } from './writer.ts';

/** The members of an audit record that say what was changed. */
export type WriteRecord = Pick<AuditRecord, 'action' | 'target' | 'subject' | 'details'>;

export type IndexChange =
  /** A row must be read again, or no longer exists. */
  | { how: 'written' | 'removed'; kind: Kind; id: string }
  /** A session has ended, but the store still lists it. */
  | { how: 'ended'; session: string }
  /** All sessions of an identity were deleted. */
  | { how: 'ended-of'; identity: string }
  /** Identities whose ids are unknown; `listed` if the response contains the ids. */
  | { how: 'unknown'; listed: boolean };

const KIND_OF: Record<string, Kind> = { identity: 'identities', session: 'sessions', client: 'clients' };
const LIST_PATH = /^\/api\/([^/]+)\/(?:admin\/)?(identities|sessions|clients)(\/[^/]+)?(\/sessions)?$/i;

/**
 * @param store the API whose identities are indexed; the installation may have another one
 * @returns undefined if nothing in the index is changed
 */
export function changeOf(
  { action, target, subject, details }: WriteRecord,
  store: UpstreamName,
): IndexChange | undefined {
  if (action !== 'proxy_write' || target === null) return undefined;
  const { method, status } = details;
  // A refused write changes nothing, except that 404 means that the row no longer exists. Without a status, the outcome
  // is unknown.
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
  if (method === 'DELETE' && kind === 'identities' && sessions !== undefined && (isDone || status === 404))
    return { how: 'ended-of', identity: id };
  if (method === 'DELETE' && isDone && list !== undefined && sessions === undefined)
    return kind === 'sessions' ? { how: 'ended', session: id } : { how: 'removed', kind, id };
  return { how: 'written', kind, id };
}

/** Records in the order in which they were committed. */
interface Feed<T> {
  /** The sequence of the newest record. */
  head(): Promise<number>;
  /** At most `most` records after this one, in order. */
  after(sequence: number, most: number): Promise<T[]>;
}

/** The audit trail, in which every replica records its writes. */
export type Trail = Feed<AuditRecord>;

/** Changes of identities that Kratos reported to any replica's sign-in log, whoever made them. */
type ReportedChanges = Feed<{ sequence: number; identity: string }>;

export function reportedChanges(database: Database): ReportedChanges {
  const readHead = database.statement<{ version: number }>('select version from event_state where id = 1');
  const newer = database.statement<{ sequence: number; identity: string }>(
    'select number as sequence, identity from identity_changes where number > ? order by number limit ?',
  );
  return {
    head: async () => (await readHead.get())?.version ?? 0,
    after: async (sequence, most) => newer.all(sequence, most),
  };
}

/** Other replicas' writes are noticed within this time plus two reads: less than five seconds. */
const POLL_MS = 2_500;
const PAGE = 200;
/** If more records of one kind than this are unread, all identities are read again instead. */
const UNREAD_MAX = 2_000;
/** How many of our own writes are remembered, and for how long, so that their records can be skipped. */
const OWN_MAX = 10_000;
const OWN_MS = 30_000;

/**
 * Polls the audit trail, and changes that Kratos reported, for records that are written after the first poll.
 * @param options.isUsed whether to continue polling
 * @param options.onRecord called for each new record
 * @param options.onReported called for each identity that was created, changed or deleted
 * @param options.onGap called if records were skipped
 */
export function followTrail(options: {
  trail: Trail;
  reported?: ReportedChanges | undefined;
  isUsed: () => boolean;
  onRecord: (record: AuditRecord) => void;
  onReported?: (identity: string) => void;
  onGap: () => void;
  monotonic: () => number;
  log: Log;
  pollMs?: number;
}) {
  const { trail, reported, isUsed, onRecord, onReported, onGap, monotonic, log, pollMs = POLL_MS } = options;
  const own = new BoundedMap<string, number>(OWN_MAX);
  const readTrail = unreadOf(trail);
  const readReported = reported && unreadOf(reported);
  let isAway = false;
  let isPolling = false;
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

  /** @returns a function that passes on what was added since it was last called */
  function unreadOf<T extends { sequence: number }>(feed: Feed<T>) {
    let seen: number | undefined;
    return async (onEach: (record: T) => void): Promise<void> => {
      const head = await feed.head();
      // This is the first poll, too many records are unread, or the database was restored from a backup.
      if (seen === undefined || head < seen || head - seen > UNREAD_MAX) {
        if (seen !== undefined || isAway) onGap();
        seen = head;
      }
      while (seen < head && !isStopped) {
        const records = await feed.after(seen, PAGE);
        // Records before it were pruned.
        if (records[0]?.sequence !== seen + 1) onGap();
        records.forEach(onEach);
        seen = records.at(-1)?.sequence ?? head;
      }
    };
  }

  async function poll(): Promise<void> {
    await readTrail((record) => {
      if (!isOwn(record)) onRecord(record);
    });
    await readReported?.(({ identity }) => onReported?.(identity));
  }

  async function follow(): Promise<void> {
    isPolling = true;
    try {
      await poll();
      isAway = false;
    } catch (error) {
      if (!isAway && !isStopped) log.warn({ error }, 'the index cannot read the writes of other replicas');
      isAway = true;
    }
    isPolling = false;
    timer = !isStopped && isUsed() ? setTimeout(follow, pollMs).unref() : undefined;
  }

  return {
    /** Polls now, unless a poll is running or scheduled. */
    wake(): void {
      if (!isPolling && timer === undefined && !isStopped) void follow();
    },
    /** Skips the record of this write: the process has already applied it. */
    skip(record: WriteRecord): void {
      own.set(keyOf(record), monotonic());
    },
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

export interface ChangesOptions extends Pick<SyncOptions, 'now' | 'monotonic' | 'log'> {
  database: Database;
  sources: IndexSources;
  trail: Trail;
  /** Undefined without a sign-in log. */
  reported?: ReportedChanges | undefined;
  /** The API of the store whose identities are in the index. */
  store: UpstreamName;
  /** Called when the index has changed, except by a sync. */
  onChange: () => void;
  pollMs?: number;
}

/** Keeps the index up to date: by syncs, and after writes through this replica and others. */
export function indexChanges(index: RemoteCommands, options: ChangesOptions) {
  const { database, sources, trail, reported, store, now, monotonic, log, onChange, pollMs = POLL_MS } = options;
  const writer = indexWriter({ index, sources, giveUp: () => sync.bringForward(), onChange, log });
  const sync = indexSync({ index, writer, sources, lease: lease(database, 'index'), now, monotonic, log });
  const follower = followTrail({
    ...{ trail, reported, pollMs },
    isUsed: sync.isUsed,
    onRecord(record) {
      const change = changeOf(record, store);
      if (change !== undefined) apply(change);
    },
    onReported: (identity) => writer.refresh('identities', [identity]),
    onGap: sync.bringForward,
    monotonic,
    log,
  });

  /** If a change fails, the next full sync makes up for it. */
  const orSync = (done: Promise<void>): void =>
    void done.catch((error) => {
      sync.bringForward();
      // A restarted worker reads everything again.
      if (!(error instanceof IndexUnavailable)) log.warn({ error }, 'the index of identities missed a change');
    });

  function apply(change: IndexChange): void {
    if (change.how === 'unknown') sync.bringForward();
    else if (change.how === 'ended') orSync(writer.endSession(change.session));
    else if (change.how === 'ended-of') orSync(writer.removeSessionsOf(change.identity));
    else if (change.how === 'removed') orSync(writer.remove(change.kind, [change.id]));
    else writer.refresh(change.kind, [change.id]);
  }

  return {
    ...sync,
    onQuery(): void {
      sync.onQuery();
      follower.wake();
    },
    /** These rows no longer exist in the store. */
    removed: (kind: Kind, ids: readonly string[]) => orSync(writer.remove(kind, ids)),
    /** Updates the index after a write made through this replica. */
    written(record: WriteRecord): void {
      const change = changeOf(record, store);
      if (change === undefined) return;
      follower.skip(record);
      // The ids of a batch arrive later, with the response body: see `batchWritten`.
      if (change.how !== 'unknown' || !change.listed) apply(change);
    },
    /** Updates the index after identities were written in a batch. @param ids undefined if the response has none */
    batchWritten: (ids: readonly string[] | undefined): void =>
      ids === undefined ? sync.bringForward() : writer.refresh('identities', ids),
    /** Resolves when all writes made through this replica are in the index. */
    settled: writer.settled,
    async stop(): Promise<void> {
      follower.stop();
      await sync.stop();
    },
  };
}
