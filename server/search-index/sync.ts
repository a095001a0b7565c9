import { EventEmitter, once } from 'node:events';
import { setTimeout as timeout } from 'node:timers/promises';
import { EndlessList, PAGES_MAX, pageWalk } from '../../shared/page-walk.ts';
import type { Lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import { KINDS, type Kind, listName, type SavedSyncs } from './database.ts';
import { type IndexSources, pageSize } from './sources.ts';
import { IndexRefused, IndexUnavailable, type RemoteCommands } from './thread.ts';
import type { IndexWriter } from './writer.ts';

/** How often and how fast the store is read. */
const PACE = {
  /** The time from the end of a full sync to the next; `earlyMs` if that is brought forward. */
  intervalMs: 15 * 60_000,
  earlyMs: 60_000,
  /** After this time without a query, nothing is read. */
  unusedMs: 60 * 60_000,
  retryMs: 30_000,
  /** How long other replicas wait after a crash. The lease is renewed after each page, and every `renewMs` in pauses. */
  leaseSeconds: 60,
  renewMs: 20_000,
  /** The pause after each page, in multiples of its time: the first sync takes half of the store's time, later ones a tenth. */
  firstPause: 1,
  laterPause: 9,
  /** How often the newest rows are read if there were queries within `watchedMs`; and how often at most on request. */
  newestMs: 30_000,
  newestOnRequestMs: 5_000,
  watchedMs: 120_000,
};

/** After this many pages of new sessions, the rest is left to the next full sync. */
const NEWEST_PAGES = 20;
/** The maximum number of recipients looked up per sync, one request each; others wait for the next sync. */
const LOOKUPS = 20;
/** Pages per batch of a merge: about 20 milliseconds. */
const MERGED_PAGES = 32;

/** Another replica has taken over the sync: this one was too slow to renew its lease. */
class LeaseLost extends Error {}

/** The state of a list before its first sync. Times are milliseconds since the epoch. */
const unread = () => ({
  /** When the last full sync began; undefined before the first has ended. */
  fullAt: undefined as number | undefined,
  /** When the first sync began; undefined before its first page. */
  partialAt: undefined as number | undefined,
  /** When the newest rows were last read after that. */
  newestAt: undefined as number | undefined,
  /** Why full syncs fail; undefined while they succeed. An `EndlessList` remains until one succeeds. */
  failure: undefined as Error | undefined,
  /** Whether the index had room for the whole list. */
  fits: true,
  /** When the next full sync may begin, by the monotonic clock. */
  dueAt: Number.NEGATIVE_INFINITY,
});
export type SyncState = ReturnType<typeof unread>;

/** A full sync of a list, or a sync of its newest rows. */
interface RunningSync {
  kind: Kind;
  isFull: boolean;
  /** The state of the list when it began. If the index has been opened again since, the list has a new one. */
  state: SyncState;
  /** Reads a page per step. Rejects with an EndlessList, UpstreamFailure, IndexRefused or IndexUnavailable. */
  steps: AsyncGenerator<void, void>;
}

export interface SyncOptions {
  index: RemoteCommands;
  writer: IndexWriter;
  sources: Pick<IndexSources, 'page' | 'newestMessages' | 'byIdentifier'>;
  lease: Pick<Lease, 'hold' | 'release'>;
  /** Milliseconds since the epoch, and on a monotonic clock. */
  now: () => number;
  monotonic: () => number;
  log: Log;
  /** The maximum number of pages of a list. */
  maxPages?: number;
  /** Rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** While there are queries, reads all lists periodically, and the newest rows in between. */
export function indexSync(options: SyncOptions) {
  const { index, writer, sources, lease, now, monotonic, log, maxPages = PAGES_MAX } = options;
  const { sleep = (ms, signal) => timeout(ms, undefined, { ref: false, signal }) } = options;
  const stopping = new AbortController();
  const states: Record<Kind, SyncState> = { identities: unread(), sessions: unread(), clients: unread() };
  /** Emits a list's name when its full sync ends, and `newest identities`. Queries wait for these. */
  const ended = new EventEmitter().setMaxListeners(0);
  let newestDueAt = Number.POSITIVE_INFINITY;
  /** Whether identities with unknown ids were written since the last full sync of identities began. */
  let isOutdated = false;
  let identitiesEndedAt = Number.NEGATIVE_INFINITY;
  /** Whether the full-text index was merged since the index was opened. */
  let isMerged = false;
  /** Messages whose recipients were looked up. */
  let lookedUp = new Set<string>();
  let queriedAt = Number.NEGATIVE_INFINITY;
  let mayRunAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let holding: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const isUsed = (): boolean => monotonic() - queriedAt <= PACE.unusedMs;
  const isWatched = (): boolean => monotonic() - queriedAt <= PACE.watchedMs;

  function schedule(): void {
    clearTimeout(timer);
    if (running || stopping.signal.aborted || !isUsed()) return;
    const dueAt = Math.min(...KINDS.map((kind) => states[kind].dueAt), isWatched() ? newestDueAt : Infinity);
    const wait = Math.max(mayRunAt, dueAt) - monotonic();
    if (wait > 0) timer = setTimeout(schedule, Math.min(wait, PACE.intervalMs)).unref();
    else void run();
  }

  function hold(): Promise<boolean> {
    stopping.signal.throwIfAborted();
    holding = lease.hold(PACE.leaseSeconds);
    return holding;
  }

  async function run(): Promise<void> {
    running = true;
    try {
      if (await hold()) await syncDue().finally(() => lease.release());
      else mayRunAt = monotonic() + PACE.retryMs;
    } catch (error) {
      mayRunAt = monotonic() + PACE.retryMs;
      if (!stopping.signal.aborted && !(error instanceof LeaseLost))
        log.warn({ error }, 'syncing the index of identities failed');
    } finally {
      running = false;
      schedule();
    }
  }

  /** Reads the lists that are due, a page of each in turn, so that a long list does not delay the others. */
  async function syncDue(): Promise<void> {
    let syncs = startDue([]);
    try {
      while (syncs.length > 0 && isUsed()) {
        for (const sync of syncs) {
          const since = monotonic();
          const { fullAt, failure } = states[sync.kind];
          const isFirst = fullAt === undefined && !(failure instanceof EndlessList);
          if (await takeStep(sync)) syncs = syncs.filter((other) => other !== sync);
          if (syncs.length === 0) break;
          await pause((monotonic() - since) * (isFirst ? PACE.firstPause : PACE.laterPause));
        }
        syncs.push(...startDue(syncs));
      }
    } finally {
      for (const name of [...KINDS, 'newest identities']) ended.emit(name);
    }
  }

  /** Pauses, renewing the lease. */
  async function pause(ms: number): Promise<void> {
    const until = monotonic() + ms;
    do {
      await sleep(Math.min(Math.max(until - monotonic(), 0), PACE.renewMs), stopping.signal);
      if (!(await hold())) throw new LeaseLost();
    } while (monotonic() < until);
  }

  /** @returns syncs of the lists that are due and not being read */
  function startDue(others: readonly RunningSync[]): RunningSync[] {
    const startedAt = now();
    const syncs: RunningSync[] = [];
    for (const kind of KINDS) {
      const state = states[kind];
      if (state.dueAt > monotonic() || others.some((other) => other.kind === kind && other.isFull)) continue;
      syncs.push({ kind, isFull: true, state, steps: fullSync(kind, state, startedAt) });
    }
    if (newestDueAt > monotonic() || !isWatched() || others.some(({ isFull }) => !isFull)) return syncs;
    newestDueAt = monotonic() + PACE.newestMs;
    const { identities, sessions } = states;
    if (!syncs.some(({ kind }) => kind === 'sessions'))
      syncs.push({ kind: 'sessions', isFull: false, state: sessions, steps: newestSessions(sessions, startedAt) });
    const steps = newestIdentities(identities, startedAt);
    syncs.push({ kind: 'identities', isFull: false, state: identities, steps });
    return syncs;
  }

  /** @returns whether the sync has ended or failed */
  async function takeStep({ kind, isFull, state, steps }: RunningSync): Promise<boolean> {
    try {
      if (!(await steps.next()).done) return false;
    } catch (error) {
      if (!(error instanceof UpstreamFailure || error instanceof EndlessList || isOfIndex(error))) throw error;
      // Not once the index was reopened or stopped. If the newest rows cannot be read, the next full sync reports it.
      if (isFull && states[kind] === state && !stopping.signal.aborted) failed(kind, error);
    }
    ended.emit(isFull ? kind : `newest ${kind}`);
    if (isFull && kind === 'identities' && !isNotConfigured(state.failure)) {
      await mergeTexts();
      const { identities: people, ...sizes } = await index.sizes().catch(() => ({ identities: undefined }));
      log.info({ people, ...sizes }, 'the index of identities has been synchronised');
    }
    return true;
  }

  function failed(kind: Kind, error: Error): void {
    const state = states[kind];
    const isNever = isNotConfigured(error);
    state.dueAt = isNever ? Infinity : monotonic() + PACE.retryMs;
    if (state.failure instanceof EndlessList) return;
    if (error instanceof EndlessList)
      log.warn({ list: listName(kind), reason: error.message }, 'a list of an upstream does not end');
    else if (state.failure === undefined && !isNever)
      log.warn({ error, list: listName(kind) }, 'the search index could not read a complete list');
    state.failure = error instanceof IndexRefused ? new UpstreamFailure('nonsense', { cause: error }) : error;
  }

  /** A list that is about to be read from its first page. */
  const openList = (kind: Kind) => ({
    kind,
    /** The number of the sync, stored with its rows. */
    number: writer.nextNumber(),
    size: pageSize(kind),
    walk: pageWalk(maxPages),
  });

  /** Reads and indexes a page. @returns undefined if it timed out: the next call requests it again with fewer rows */
  async function readPage({ kind, number, size, walk }: ReturnType<typeof openList>) {
    try {
      const page = await writer.put(kind, () => sources.page(kind, size.rows, walk.token), number);
      size.follow({ rows: page.ids.length, bytes: page.bytes });
      return page;
    } catch (error) {
      if (error instanceof UpstreamFailure && error.kind === 'timeout' && size.halve()) return undefined;
      throw error;
    }
  }

  /** Reads a whole list, and removes the rows that are no longer in it. */
  async function* fullSync(kind: Kind, state: SyncState, startedAt: number): RunningSync['steps'] {
    const list = openList(kind);
    if (kind === 'identities') isOutdated = false;
    let hasFreed = false;
    let isAll = false;
    while (!isAll) {
      const page = await readPage(list);
      if (states[kind] !== state) return;
      if (page !== undefined) {
        state.partialAt ??= startedAt;
        if (page.fits) isAll = !list.walk.next(page.ids.length, page.nextPageToken);
        else if (hasFreed) break;
        else {
          // Unseen rows no longer exist, or will be read later: removing them may make room for the rest.
          await removeUnseen(kind, list.number);
          hasFreed = true;
        }
      }
      if (!isAll) yield;
    }
    if (isAll) await removeUnseen(kind, list.number);
    state.fits = await index.saveFullSync(kind, { fullAt: startedAt, fits: isAll });
    state.fullAt = startedAt;
    state.failure = undefined;
    state.dueAt = monotonic() + (kind === 'identities' && isOutdated ? PACE.earlyMs : PACE.intervalMs);
    if (kind !== 'clients') newestDueAt = Math.min(newestDueAt, monotonic() + PACE.newestMs);
    if (kind === 'identities') identitiesEndedAt = monotonic();
  }

  /** Removes in batches, so that queries can run in between. */
  async function removeUnseen(kind: Kind, number: number): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; )
      after = await index.removeUnseen(kind, number, after);
  }

  /** Reads the latest sessions, up to a page without new ones, and their identities. */
  async function* newestSessions(state: SyncState, startedAt: number): RunningSync['steps'] {
    const list = openList('sessions');
    for (let pages = 0; ; yield) {
      const page = await readPage(list);
      if (page === undefined) continue;
      await writer.refreshUnknown(page.identities ?? []);
      pages += 1;
      // A full index lacks nothing of a page that it has.
      if (!page.fits && !page.known) {
        state.fits = false;
        return;
      }
      if (page.known || pages >= NEWEST_PAGES || !list.walk.next(page.ids.length, page.nextPageToken)) break;
    }
    state.newestAt = startedAt;
  }

  /**
   * Finds identities that were just registered. Kratos lists identities in no order, but messages newest first, and new
   * ones usually have a message or a session. Looks up recipients that are not in the index, once for each message.
   */
  async function* newestIdentities(state: SyncState, startedAt: number): RunningSync['steps'] {
    const unknown = await index.unknownRecipients(await sources.newestMessages());
    lookedUp = new Set(unknown.map(({ id }) => id).filter((id) => lookedUp.has(id)));
    const messagesOf = new Map<string, string[]>();
    for (const { id, recipient } of unknown) {
      if (!lookedUp.has(id)) messagesOf.set(recipient, [...(messagesOf.get(recipient) ?? []), id]);
    }
    for (const [recipient, ids] of [...messagesOf].slice(0, LOOKUPS)) {
      yield;
      await writer.put('identities', async () => ({ text: await sources.byIdentifier(recipient) }));
      for (const id of ids) lookedUp.add(id);
    }
    state.newestAt = startedAt;
  }

  /** Merges the full-text index into one segment after the first sync, and incrementally later. */
  async function mergeTexts(): Promise<void> {
    let pages = isMerged ? MERGED_PAGES : -MERGED_PAGES;
    isMerged = true;
    try {
      while (await index.mergeTexts(pages)) pages = MERGED_PAGES;
    } catch (error) {
      // Merging is optional: skipped if the index is full or its worker is unavailable.
      if (!isOfIndex(error)) throw error;
    }
  }

  return {
    /** Called on every query: keeps polling, or starts a sync if one is due. */
    onQuery(): void {
      queriedAt = monotonic();
      schedule();
    },
    isUsed,
    state(kind: Kind): SyncState {
      if (kind !== 'identities') return states[kind];
      const { identities, sessions } = states;
      // New identities are found through messages and through sessions.
      const bySession = sessions.newestAt ?? sessions.fullAt;
      const newestAt = identities.newestAt && bySession && Math.min(identities.newestAt, bySession);
      return { ...identities, newestAt };
    },
    /** Resolves when the next full sync of the list ends or fails. */
    ended: (kind: Kind) => once(ended, kind),
    /** Resolves when reading the newest sessions and identities has ended; immediately if they were just read. */
    async refreshed(): Promise<void> {
      if (newestDueAt === Number.POSITIVE_INFINITY) return;
      const isRecent = newestDueAt - PACE.newestMs + PACE.newestOnRequestMs > monotonic();
      if (isRecent && ended.listenerCount('newest identities') === 0) return;
      if (!isRecent) newestDueAt = monotonic();
      schedule();
      await once(ended, 'newest identities');
    },
    /** Identities with unknown ids were written: brings the next full sync forward, within the rate limit. */
    bringForward(): void {
      isOutdated = true;
      const { identities } = states;
      identities.dueAt = Math.min(identities.dueAt, Math.max(monotonic(), identitiesEndedAt + PACE.earlyMs));
      schedule();
    },
    /** Called when a worker has opened the index, with the syncs saved in its file. */
    restart({ sync, full }: SavedSyncs): void {
      writer.continueAfter(sync);
      for (const kind of KINDS) states[kind] = { ...unread(), ...full[kind] };
      isMerged = false;
      newestDueAt = Number.POSITIVE_INFINITY;
      identitiesEndedAt = Number.NEGATIVE_INFINITY;
      mayRunAt = Number.NEGATIVE_INFINITY;
      schedule();
    },
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      // Does not wait for the page that is being read; releases the lease, so that other replicas need not wait for its end.
      await holding?.catch(() => {});
      if (running) await lease.release().catch(() => {});
    },
  };
}

/** The list is of a service without an address, which stays so until the next start. */
export const isNotConfigured = (error: Error | undefined): boolean =>
  error instanceof UpstreamFailure && error.kind === 'not_configured';

const isOfIndex = (error: unknown): error is IndexRefused | IndexUnavailable =>
  error instanceof IndexRefused || error instanceof IndexUnavailable;
