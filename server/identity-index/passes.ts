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
  /** The latest first. */
  sessions(size: number, token: string | undefined): Promise<Page & { entries: SessionEntry[] }>;
  clients(size: number, token: string | undefined): Promise<Page & { entries: ClientEntry[] }>;
}

/** What is known of a list. Times are milliseconds since the epoch. */
export interface Reading {
  /** When the last whole reading began; undefined before the first has ended. */
  wholeAt: number | undefined;
  /** When the reading that is under way began. */
  begunAt: number | undefined;
  /** Since when reading fails. */
  failingSince: number | undefined;
  /** Whether the index had room for all of it. */
  fits: boolean;
  /** When it may be read again, by the monotonic clock. */
  dueAt: number;
}

/** Another replica reads now: this one was too slow to keep its turn. */
class LeaseLost extends Error {}

export interface Passes {
  /** Somebody asks: reading goes on, or begins if it is due. */
  asked(): void;
  state(kind: Kind): Reading;
  /** A person was deleted: a page that is on its way does not bring them back. */
  removePeople(ids: readonly string[]): Promise<void>;
  /** A person was written through us, and here is what the store says now: the JSON of a list. */
  putPeople(text: string): Promise<void>;
  /** The next pass begins as soon as it may: something was written that no id is known of. */
  bringForward(): void;
  /** The worker has begun anew: nothing is known. */
  forgetAll(): void;
  stop(): void;
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
    begunAt: undefined,
    failingSince: undefined,
    fits: true,
    dueAt: Number.NEGATIVE_INFINITY,
  });
  let readings: Record<Kind, Reading> = { people: nothing(), sessions: nothing(), clients: nothing() };
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

  async function readDue(): Promise<void> {
    pass += 1;
    for (const kind of KINDS.filter((due) => readings[due].dueAt <= monotonic())) {
      const reading = readings[kind];
      reading.begunAt = now();
      try {
        reading.fits = await readList(kind, reading.wholeAt === undefined ? pace.firstPause : pace.laterPause);
        if (reading.fits) await index.endPass(kind, pass);
        reading.wholeAt = reading.begunAt;
        reading.failingSince = undefined;
        reading.dueAt = monotonic() + pace.apartMs;
      } catch (error) {
        reading.dueAt = monotonic() + pace.retryMs;
        if (!(error instanceof UpstreamFailure || error instanceof IndexRefused || error instanceof IndexUnavailable))
          throw error;
        if (reading.failingSince === undefined) log.warn({ error, list: kind }, 'a list could not be read to its end');
        reading.failingSince ??= now();
      } finally {
        reading.begunAt = undefined;
      }
    }
  }

  /** @returns whether all of it found room */
  async function readList(kind: Kind, rest: number): Promise<boolean> {
    let size = pace.pageSize;
    let token: string | undefined;
    for (;;) {
      const since = monotonic();
      removed = new Set();
      let put: { fits: boolean; nextPageToken: string | undefined };
      try {
        put = await readPage(kind, size, token);
      } catch (error) {
        if (!(error instanceof UpstreamFailure && error.kind === 'timeout') || size <= pace.leastPageSize) throw error;
        size = Math.max(Math.floor(size / 2), pace.leastPageSize);
        continue;
      }
      if (!put.fits) return false;
      token = put.nextPageToken;
      if (token === undefined) return true;
      await sleep((monotonic() - since) * rest, stopping.signal);
      if (!(await lease.hold(pace.leaseSeconds))) throw new LeaseLost();
    }
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
    async removePeople(ids) {
      for (const id of ids) removed.add(id);
      await index.removePeople(ids);
    },
    async putPeople(text) {
      await index.putPeople(text, pass);
    },
    bringForward() {
      for (const kind of KINDS) readings[kind].dueAt = Math.min(readings[kind].dueAt, monotonic());
      schedule();
    },
    forgetAll() {
      readings = { people: nothing(), sessions: nothing(), clients: nothing() };
      mayRunAt = Number.NEGATIVE_INFINITY;
    },
    stop() {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}
