import { setTimeout as timeout } from 'node:timers/promises';
import { EndlessList, PAGES_MAX } from '../../shared/page-walk.ts';
import type { Lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import { KINDS, type Kind, type SavedSyncs } from './database.ts';
import { type IndexWriter, listSync, newestPeopleSync, type SyncState, unread } from './list-sync.ts';
import type { IndexSources } from './sources.ts';
import { IndexRefused, IndexUnavailable, type RemoteCommands } from './thread.ts';

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
  /** The maximum number of pages of a list. */
  pages: PAGES_MAX,
  /** How often the newest rows are read if there were queries within `watchedMs`; and how often at most on request. */
  newestMs: 30_000,
  newestOnRequestMs: 5_000,
  watchedMs: 120_000,
};

/** Pages per batch of a merge: about 20 milliseconds. */
const MERGED_PAGES = 32;

/** Another replica has taken over the sync: this one was too slow to renew its lease. */
class LeaseLost extends Error {}

const reopened = () => new IndexUnavailable('the index was reopened without the pages before');
const isOfIndex = (error: unknown): error is IndexRefused | IndexUnavailable =>
  error instanceof IndexRefused || error instanceof IndexUnavailable;

export interface SyncOptions {
  index: RemoteCommands;
  writer: IndexWriter;
  sources: Pick<IndexSources, 'page' | 'newestMessages' | 'byIdentifier'>;
  lease: Pick<Lease, 'hold' | 'release'>;
  /** Milliseconds since the epoch, and on a monotonic clock. */
  now: () => number;
  monotonic: () => number;
  log: Log;
  pace?: Partial<typeof PACE> | undefined;
  /** Rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** While there are queries, reads all lists periodically, and the newest rows in between. */
export function indexSync(options: SyncOptions) {
  const { index, writer, sources, lease, now, monotonic, log } = options;
  const { sleep = (ms, signal) => timeout(ms, undefined, { ref: false, signal }) } = options;
  const pace = { ...PACE, ...options.pace };
  const stopping = new AbortController();
  const states: Record<Kind, SyncState> = { people: unread(), sessions: unread(), clients: unread() };
  const onEnd: Record<Kind, (() => void)[]> = { people: [], sessions: [], clients: [] };
  const onNewestEnd: (() => void)[] = [];
  const newestPeople = newestPeopleSync(index, sources, writer);
  let newestDueAt = Number.POSITIVE_INFINITY;
  /** When people with unknown ids were last written, by the monotonic clock. */
  let unknownAt = Number.NEGATIVE_INFINITY;
  let peopleEndedAt = Number.NEGATIVE_INFINITY;
  /** How many times the index was opened, and the last generation whose full-text index was merged. */
  let generation = 0;
  let mergedGeneration = -1;
  let queriedAt = Number.NEGATIVE_INFINITY;
  let mayRunAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let holding: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const isUsed = (): boolean => monotonic() - queriedAt <= pace.unusedMs;
  const isWatched = (): boolean => monotonic() - queriedAt <= pace.watchedMs;
  const resolveAll = (waiting: (() => void)[]): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (running || stopping.signal.aborted || !isUsed()) return;
    const dueAt = Math.min(...KINDS.map((kind) => states[kind].dueAt), isWatched() ? newestDueAt : Infinity);
    const wait = Math.max(mayRunAt, dueAt) - monotonic();
    if (wait > 0) timer = setTimeout(schedule, Math.min(wait, pace.intervalMs)).unref();
    else void run();
  }

  function hold(): Promise<boolean> {
    stopping.signal.throwIfAborted();
    holding = lease.hold(pace.leaseSeconds);
    return holding;
  }

  async function run(): Promise<void> {
    running = true;
    try {
      if (await hold()) await syncDue().finally(() => lease.release());
      else mayRunAt = monotonic() + pace.retryMs;
    } catch (error) {
      mayRunAt = monotonic() + pace.retryMs;
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
          const { fullAt, isEndless } = states[sync.kind];
          const rest = fullAt === undefined && !isEndless ? pace.firstPause : pace.laterPause;
          if (await readNext(sync)) syncs = syncs.filter((other) => other !== sync);
          if (syncs.length === 0) break;
          await pause((monotonic() - since) * rest);
        }
        syncs.push(...startDue(syncs));
      }
    } finally {
      for (const { kind, newest } of syncs) newest ? resolveAll(onNewestEnd) : ended(kind);
    }
  }

  /** Pauses, renewing the lease. */
  async function pause(ms: number): Promise<void> {
    const until = monotonic() + ms;
    do {
      await sleep(Math.min(Math.max(until - monotonic(), 0), pace.renewMs), stopping.signal);
      if (!(await hold())) throw new LeaseLost();
    } while (monotonic() < until);
  }

  function start(kind: Kind, newest: boolean) {
    const number = writer.nextNumber();
    return {
      kind,
      newest,
      number,
      generation,
      list:
        kind === 'people' && newest
          ? newestPeople()
          : listSync({ kind, newest, number, pages: pace.pages }, sources, writer),
      /** By the monotonic clock. */
      since: monotonic(),
      /** Milliseconds since the epoch. */
      startedAt: now(),
      /** Whether the index was full and unseen rows were removed. */
      freed: false,
    };
  }
  type RunningSync = ReturnType<typeof start>;

  /** @returns syncs of the lists that are due and not being read */
  function startDue(others: readonly RunningSync[]): RunningSync[] {
    const syncs = KINDS.filter(
      (kind) => states[kind].dueAt <= monotonic() && !others.some((other) => other.kind === kind && !other.newest),
    ).map((kind) => start(kind, false));
    for (const { kind, startedAt } of syncs) states[kind].startedAt = startedAt;
    if (newestDueAt > monotonic() || !isWatched() || others.some(({ newest }) => newest)) return syncs;
    newestDueAt = monotonic() + pace.newestMs;
    if (!syncs.some(({ kind }) => kind === 'sessions')) syncs.push(start('sessions', true));
    syncs.push(start('people', true));
    return syncs;
  }

  function ended(kind: Kind): void {
    states[kind].startedAt = undefined;
    resolveAll(onEnd[kind]);
  }

  /** @returns whether the list has been read to its end, or cannot be */
  async function readNext(sync: RunningSync): Promise<boolean> {
    const { kind, newest } = sync;
    try {
      const { isRead, isOver, fits } = await sync.list.next();
      if (sync.generation !== generation) throw reopened();
      if (isRead) states[kind].partialAt ??= states[kind].startedAt;
      if (!isOver) return false;
      if (!fits && !newest && !sync.freed) {
        // Unseen rows no longer exist, or will be read later: removing them may make room for the rest.
        await removeUnseen(sync);
        sync.freed = true;
        return false;
      }
      if (!newest) await endFull(sync, fits);
      else if (fits) states[kind].newestAt = sync.startedAt;
      else states[kind].fits = false;
    } catch (error) {
      if (!(error instanceof UpstreamFailure || error instanceof EndlessList || isOfIndex(error))) throw error;
      // Not once the index was reopened or stopped. If the newest rows cannot be read, the next full sync reports it.
      if (!newest && sync.generation === generation && !stopping.signal.aborted) failed(kind, error);
    }
    if (newest && kind === 'people') resolveAll(onNewestEnd);
    if (newest) return true;
    ended(kind);
    if (kind === 'people') {
      await mergeTexts();
      log.info(await index.sizes().catch(() => {}), 'the index of identities has been synchronised');
    }
    return true;
  }

  function failed(kind: Kind, error: Error): void {
    const state = states[kind];
    state.dueAt = monotonic() + pace.retryMs;
    if (error instanceof EndlessList) {
      if (!state.isEndless) log.warn({ list: kind, reason: error.message }, 'a list of an upstream does not end');
      state.isEndless = true;
    } else if (state.failingSince === undefined)
      log.warn({ error, list: kind }, 'the search index could not read a complete list');
    state.failingSince ??= now();
    const refused = error instanceof IndexRefused ? new UpstreamFailure('nonsense', { cause: error }) : undefined;
    state.failure = error instanceof UpstreamFailure ? error : refused;
  }

  /** Removes in batches, so that queries can run in between. */
  async function removeUnseen({ kind, number }: RunningSync): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; )
      after = await index.removeUnseen(kind, number, after);
  }

  async function endFull(sync: RunningSync, isAll: boolean): Promise<void> {
    const { kind, since, startedAt } = sync;
    if (isAll) await removeUnseen(sync);
    const fits = await index.saveFullSync(kind, { fullAt: startedAt, fits: isAll });
    if (sync.generation !== generation) throw reopened();
    const isOutdated = kind === 'people' && unknownAt >= since;
    const dueAt = monotonic() + (isOutdated ? pace.earlyMs : pace.intervalMs);
    const recovered = { failingSince: undefined, failure: undefined, isEndless: false };
    Object.assign(states[kind], { fits, fullAt: startedAt, dueAt, ...recovered });
    if (kind !== 'clients') newestDueAt = Math.min(newestDueAt, monotonic() + pace.newestMs);
    if (kind === 'people') peopleEndedAt = monotonic();
  }

  /** Merges the full-text index into one segment after the first sync, and incrementally later. */
  async function mergeTexts(): Promise<void> {
    let pages = mergedGeneration === generation ? MERGED_PAGES : -MERGED_PAGES;
    mergedGeneration = generation;
    try {
      while (await index.mergeTexts(pages)) pages = MERGED_PAGES;
    } catch (error) {
      // Merging is optional: skipped if the index is full or its worker is unavailable.
      if (!isOfIndex(error)) throw error;
    }
  }

  return {
    /** Called on every query: keeps polling, or starts a sync if one is due. */
    onQuery() {
      queriedAt = monotonic();
      schedule();
    },
    isUsed,
    state(kind: Kind): SyncState {
      if (kind !== 'people') return states[kind];
      const { people, sessions } = states;
      // New people are found through messages and through sessions.
      const bySession = sessions.newestAt ?? sessions.fullAt;
      const newestAt = people.newestAt && bySession && Math.min(people.newestAt, bySession);
      return { ...people, newestAt };
    },
    /** Resolves when the next full sync of the list ends or fails. */
    ended: (kind: Kind) => new Promise<void>((resolve) => void onEnd[kind].push(resolve)),
    /** Resolves when reading the newest sessions and people has ended; immediately if they were just read. */
    refreshed(): Promise<void> {
      const isRecent = newestDueAt - pace.newestMs + pace.newestOnRequestMs > monotonic();
      if (newestDueAt === Number.POSITIVE_INFINITY || (isRecent && onNewestEnd.length === 0)) return Promise.resolve();
      if (!isRecent) newestDueAt = monotonic();
      const done = new Promise<void>((resolve) => void onNewestEnd.push(resolve));
      schedule();
      return done;
    },
    /** Identities with unknown ids were written: brings the next full sync forward, within the rate limit. */
    bringForward(): void {
      unknownAt = monotonic();
      const { people } = states;
      people.dueAt = Math.min(people.dueAt, Math.max(unknownAt, peopleEndedAt + pace.earlyMs));
      schedule();
    },
    /** Called when a worker has opened the index, with the syncs saved in its file. */
    restart({ sync, full }: SavedSyncs): void {
      generation += 1;
      writer.continueAfter(sync);
      for (const kind of KINDS) states[kind] = { ...unread(), ...full[kind] };
      newestDueAt = Number.POSITIVE_INFINITY;
      peopleEndedAt = Number.NEGATIVE_INFINITY;
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
