import { setTimeout as timeout } from 'node:timers/promises';
import type { Lease } from '../db/lease.ts';
import type { Log } from '../log/log.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';
import type { ClientEntry } from './clients-index.ts';
import type { IndexThread } from './index-thread.ts';
import { IndexRefused, IndexUnavailable } from './index-thread.ts';
import type { SessionEntry } from './sessions-index.ts';

export type Kind = 'people' | 'sessions' | 'clients';
const KINDS: readonly Kind[] = ['people', 'sessions', 'clients'];

interface Page {
  nextPageToken: string | undefined;
}

/** Pages of the upstreams' lists. All reject with an UpstreamFailure. */
export interface IndexSources {
  /** @returns the JSON as it was sent: the worker reads it */
  people(size: number, token: string | undefined): Promise<Page & { text: string }>;
  /** People by id, at most 100: the JSON of a list. */
  peopleBy(ids: readonly string[]): Promise<string>;
  /** The latest first. */
  sessions(size: number, token: string | undefined): Promise<Page & { entries: SessionEntry[] }>;
  clients(size: number, token: string | undefined): Promise<Page & { entries: ClientEntry[] }>;
}

/** What is known of a list. Times are milliseconds since the epoch. */
export interface Reading {
  /** When the last whole reading began; undefined before the first has ended. */
  wholeAt: number | undefined;
  /** When the reading began that what is known is a part of; undefined before its first page. */
  partAt: number | undefined;
  /** When the reading that is under way began. */
  begunAt: number | undefined;
  /** Since when reading fails, and how. */
  failingSince: number | undefined;
  failure: UpstreamFailure | undefined;
  /** Whether the index had room for all of it. */
  fits: boolean;
  /** When it may be read again, by the monotonic clock. */
  dueAt: number;
}

/** Where the reading of a list has got to. */
interface ListReading {
  kind: Kind;
  size: number;
  token: string | undefined;
}

/** Another replica reads now: this one was too slow to keep its turn. */
class LeaseLost extends Error {}

export interface Passes {
  /** Somebody asks: reading goes on, or begins if it is due. */
  asked(): void;
  state(kind: Kind): Reading;
  /** Resolves when the next reading of the list ends, in failure too. */
  ended(kind: Kind): Promise<void>;
  /** A person was deleted: a page that is on its way does not bring them back. */
  removePeople(ids: readonly string[]): Promise<void>;
  /** People were written through us, and here is what the store says now: the JSON of a list. @returns who is in it */
  putPeople(text: string): Promise<readonly string[]>;
  /** The next pass begins as soon as it may: something was written that no id is known of. */
  bringForward(): void;
  /** The worker has begun anew: nothing is known. */
  forgetAll(): void;
  /** Gives up the lease. */
  stop(): Promise<void>;
}

export interface PassOptions {
  index: IndexThread;
  sources: IndexSources;
  lease: Lease;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: Partial<typeof PACE>;
  /** Rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const PACE = {
  pageSize: 250,
  leastPageSize: 25,
  /** Between the end of a pass and the next. */
  apartMs: 15 * 60_000,
  /** Nothing is read while nobody has asked for so long. */
  forgottenMs: 60 * 60_000,
  retryMs: 30_000,
  leaseSeconds: 120,
  /** Waited after each page, by the time the page took: half of the store's time, later a tenth. */
  firstPause: 1,
  laterPause: 9,
};

/** The process need not wait for it. */
const sleepUnref = (ms: number, signal: AbortSignal): Promise<void> => timeout(ms, undefined, { ref: false, signal });

export function indexPasses(options: PassOptions): Passes {
  const { index, sources, lease, now, monotonic, log, sleep = sleepUnref } = options;
  const pace = { ...PACE, ...options.pace };
  const stopping = new AbortController();
  const nothing = (): Reading => ({
    wholeAt: undefined,
    partAt: undefined,
    begunAt: undefined,
    failingSince: undefined,
    failure: undefined,
    fits: true,
    dueAt: Number.NEGATIVE_INFINITY,
  });
  let readings: Record<Kind, Reading> = { people: nothing(), sessions: nothing(), clients: nothing() };
  const waiting: Record<Kind, (() => void)[]> = { people: [], sessions: [], clients: [] };
  let pass = 1;
  let askedAt = Number.NEGATIVE_INFINITY;
  let mayRunAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let timer: NodeJS.Timeout | undefined;
  /** Removed while a page was on its way. */
  let removed = new Set<string>();

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (running || stopping.signal.aborted || monotonic() - askedAt > pace.forgottenMs) return;
    const dueAt = Math.max(mayRunAt, Math.min(...KINDS.map((kind) => readings[kind].dueAt)));
    const wait = dueAt - monotonic();
    if (wait > 0) timer = setTimeout(schedule, Math.min(wait, pace.apartMs)).unref();
    else void run();
  }

  async function run(): Promise<void> {
    running = true;
    try {
      if (await lease.hold(pace.leaseSeconds)) await readDue().finally(() => lease.release());
      else mayRunAt = monotonic() + pace.retryMs;
    } catch (error) {
      mayRunAt = monotonic() + pace.retryMs;
      if (!stopping.signal.aborted && !(error instanceof LeaseLost))
        log.warn({ error }, 'the index of identities could not be read');
    } finally {
      running = false;
      schedule();
    }
  }

  /** Reads the lists that are due, a page of each in turn: none has to wait for the end of a long one. */
  async function readDue(): Promise<void> {
    pass += 1;
    let lists = KINDS.filter((kind) => readings[kind].dueAt <= monotonic()).map(
      (kind): ListReading => ({ kind, size: pace.pageSize, token: undefined }),
    );
    for (const { kind } of lists) readings[kind].begunAt = now();
    try {
      while (lists.length > 0) {
        for (const list of lists) {
          const since = monotonic();
          const isOver = await readNext(list);
          if (isOver) lists = lists.filter((other) => other !== list);
          if (lists.length === 0) break;
          const rest = readings[list.kind].wholeAt === undefined ? pace.firstPause : pace.laterPause;
          await sleep((monotonic() - since) * rest, stopping.signal);
          if (!(await lease.hold(pace.leaseSeconds))) throw new LeaseLost();
        }
      }
    } finally {
      for (const { kind } of lists) ended(kind);
    }
  }

  function ended(kind: Kind): void {
    readings[kind].begunAt = undefined;
    for (const resolve of waiting[kind].splice(0)) resolve();
  }

  /** @returns whether the list has been read to its end, or cannot be */
  async function readNext(list: ListReading): Promise<boolean> {
    const { kind } = list;
    const reading = readings[kind];
    try {
      removed = new Set();
      const { fits, nextPageToken } = await readPage(kind, list.size, list.token);
      list.token = nextPageToken;
      reading.partAt ??= reading.begunAt;
      if (fits && nextPageToken !== undefined) return false;
      if (fits) await index.endPass(kind, pass);
      reading.fits = fits;
      reading.wholeAt = reading.begunAt;
      reading.failingSince = undefined;
      reading.failure = undefined;
      reading.dueAt = monotonic() + pace.apartMs;
    } catch (error) {
      if (error instanceof UpstreamFailure && error.kind === 'timeout' && list.size > pace.leastPageSize) {
        list.size = Math.max(Math.floor(list.size / 2), pace.leastPageSize);
        return false;
      }
      reading.dueAt = monotonic() + pace.retryMs;
      if (!(error instanceof UpstreamFailure || error instanceof IndexRefused || error instanceof IndexUnavailable))
        throw error;
      if (reading.failingSince === undefined) log.warn({ error, list: kind }, 'a list could not be read to its end');
      reading.failingSince ??= now();
      reading.failure = error instanceof UpstreamFailure ? error : undefined;
    }
    ended(kind);
    return true;
  }

  async function readPage(kind: Kind, size: number, token: string | undefined) {
    switch (kind) {
      case 'people': {
        const { text, nextPageToken } = await sources.people(size, token);
        const { ids, rest } = await index.putPeople(text, pass);
        const gone = ids.filter((id) => removed.has(id));
        if (gone.length > 0) await index.removePeople(gone);
        return { fits: rest, nextPageToken };
      }
      case 'sessions': {
        const { entries, nextPageToken } = await sources.sessions(size, token);
        return { fits: await index.putSessions(entries, pass), nextPageToken };
      }
      case 'clients': {
        const { entries, nextPageToken } = await sources.clients(size, token);
        return { fits: await index.putClients(entries, pass), nextPageToken };
      }
    }
  }

  return {
    asked() {
      askedAt = monotonic();
      schedule();
    },
    state: (kind) => readings[kind],
    ended: (kind) => new Promise((resolve) => void waiting[kind].push(resolve)),
    async removePeople(ids) {
      for (const id of ids) removed.add(id);
      await index.removePeople(ids);
    },
    putPeople: async (text) => (await index.putPeople(text, pass)).ids,
    bringForward() {
      for (const kind of KINDS) readings[kind].dueAt = Math.min(readings[kind].dueAt, monotonic());
      schedule();
    },
    forgetAll() {
      readings = { people: nothing(), sessions: nothing(), clients: nothing() };
      mayRunAt = Number.NEGATIVE_INFINITY;
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      // A page may still be on its way, and others should not have to wait for the lease to run out.
      if (running) await lease.release().catch(() => {});
    },
  };
}
