import { setTimeout as timeout } from 'node:timers/promises';
import type { Lease } from '../db/lease.ts';
import type { Log } from '../log.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import type { KeptReadings } from './file.ts';
import { type ListReading, listReading, newestPeople, nothing, PACE, type Reading } from './reading.ts';
import type { IndexSources, Kind } from './sources.ts';
import { IndexRefused, type IndexThread, IndexUnavailable, isOfIndex, mergeTexts } from './thread.ts';
import type { IndexWriter } from './writer.ts';

const KINDS: readonly Kind[] = ['people', 'sessions', 'clients'];

/** A list of which a page is read in each turn. */
interface Turn extends ListReading {
  kind: Kind;
  newest: boolean;
  pass: number;
  /** When it began, by the monotonic clock, and in which index. */
  since: number;
  built: number;
  /** Milliseconds since the epoch. */
  begunAt: number;
  /** The index was full, and has made room. */
  freed: boolean;
}

/** Another replica reads now: this one was too slow to keep its turn. */
class LeaseLost extends Error {}

export interface Passes {
  /** Somebody asks: reading goes on, or begins if it is due. */
  asked(): void;
  /** Whether somebody has asked lately: then the index is kept up to date. */
  isAsked(): boolean;
  state(kind: Kind): Reading;
  /** Resolves when the next reading of the list ends, in failure too. */
  ended(kind: Kind): Promise<void>;
  /** Resolves when the newest sessions and people have been read, in failure too: they are read now, if not just before. */
  refreshed(): Promise<void>;
  /** People were written of whom no id is known: they are read as soon as that is polite. */
  bringForward(): void;
  /** The worker has begun anew: what is known is what it found in its file. */
  forgetAll(kept: KeptReadings): void;
  /** Gives up the lease. */
  stop(): Promise<void>;
}

export interface PassOptions {
  index: IndexThread;
  writer: IndexWriter;
  sources: Pick<IndexSources, 'page' | 'newestMessages' | 'byIdentifier'>;
  lease: Pick<Lease, 'hold' | 'release'>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
  pace?: Partial<typeof PACE>;
  /** Rejects when the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const BEGUN_ANEW = 'it has begun anew, without the pages before';

/** The process need not wait for it. */
const sleepUnref = (ms: number, signal: AbortSignal): Promise<void> => timeout(ms, undefined, { ref: false, signal });

export function indexPasses(options: PassOptions): Passes {
  const { index, writer, sources, lease, now, monotonic, log, sleep = sleepUnref } = options;
  const pace = { ...PACE, ...options.pace };
  const stopping = new AbortController();
  const readings: Record<Kind, Reading> = { people: nothing(), sessions: nothing(), clients: nothing() };
  const waiting: Record<Kind, (() => void)[]> = { people: [], sessions: [], clients: [] };
  const newestOf = newestPeople(index, sources, writer);
  const waitingForNewest: (() => void)[] = [];
  let newestDueAt = Number.POSITIVE_INFINITY;
  /** By the monotonic clock, when people were last written of whom no id is known. */
  let unknownAt = Number.NEGATIVE_INFINITY;
  let peopleEndedAt = Number.NEGATIVE_INFINITY;
  /** How many times the index has begun anew. */
  let built = 0;
  /** Of which its texts are one segment, or were. */
  let merged = -1;
  let askedAt = Number.NEGATIVE_INFINITY;
  let mayRunAt = Number.NEGATIVE_INFINITY;
  let running = false;
  let holding: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const isAsked = (): boolean => monotonic() - askedAt <= pace.forgottenMs;
  const isLookedAt = (): boolean => monotonic() - askedAt <= pace.lookingMs;

  function schedule(): void {
    clearTimeout(timer);
    timer = undefined;
    if (running || stopping.signal.aborted || !isAsked()) return;
    const dueAt = Math.min(...KINDS.map((kind) => readings[kind].dueAt), isLookedAt() ? newestDueAt : Infinity);
    const wait = Math.max(mayRunAt, dueAt) - monotonic();
    if (wait > 0) timer = setTimeout(schedule, Math.min(wait, pace.apartMs)).unref();
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
      if (await hold()) await readDue().finally(() => lease.release());
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
    let lists = begin([]);
    try {
      while (lists.length > 0 && isAsked()) {
        for (const list of lists) {
          const since = monotonic();
          const rest = readings[list.kind].wholeAt === undefined ? pace.firstPause : pace.laterPause;
          const isOver = await readNext(list);
          if (isOver) lists = lists.filter((other) => other !== list);
          if (lists.length === 0) break;
          await pause((monotonic() - since) * rest);
        }
        lists.push(...begin(lists));
      }
    } finally {
      for (const { kind, newest } of lists) (newest ? newestEnded : ended)(kind);
    }
  }

  /** Keeps the lease, however long it is. */
  async function pause(ms: number): Promise<void> {
    const until = monotonic() + ms;
    do {
      await sleep(Math.min(Math.max(until - monotonic(), 0), pace.renewMs), stopping.signal);
      if (!(await hold())) throw new LeaseLost();
    } while (monotonic() < until);
  }

  /** @returns readings of the lists that are due and not yet under way */
  function begin(underWay: readonly Turn[]): Turn[] {
    const since = monotonic();
    const isUnderWay = (kind: Kind, newest: boolean): boolean =>
      underWay.some((list) => list.kind === kind && list.newest === newest);
    const reading = (kind: Kind, newest: boolean): Turn => {
      const list = { kind, newest, pass: writer.beginPass(), since, begunAt: now(), built, freed: false };
      const isOfMessages = kind === 'people' && newest;
      return { ...list, ...(isOfMessages ? newestOf() : listReading(list, sources, writer)) };
    };
    const lists = KINDS.filter((kind) => readings[kind].dueAt <= since && !isUnderWay(kind, false)).map((kind) =>
      reading(kind, false),
    );
    for (const { kind } of lists) readings[kind].begunAt = now();
    if (newestDueAt > since || !isLookedAt() || underWay.some(({ newest }) => newest)) return lists;
    newestDueAt = since + pace.newestMs;
    if (!lists.some(({ kind }) => kind === 'sessions')) lists.push(reading('sessions', true));
    lists.push(reading('people', true));
    return lists;
  }

  function ended(kind: Kind): void {
    readings[kind].begunAt = undefined;
    for (const resolve of waiting[kind].splice(0)) resolve();
  }

  function newestEnded(): void {
    for (const resolve of waitingForNewest.splice(0)) resolve();
  }

  /** @returns whether the list has been read to its end, or cannot be */
  async function readNext(list: Turn): Promise<boolean> {
    const { kind, newest } = list;
    try {
      const { isRead, isOver, fits } = await list.next();
      if (list.built !== built) throw new IndexUnavailable(BEGUN_ANEW);
      if (isRead) readings[kind].partAt ??= readings[kind].begunAt;
      if (!isOver) return false;
      if (!fits && !list.freed) {
        // What it has not met has gone, or comes later: there may be room for the rest.
        await dropUnmet(list);
        list.freed = true;
        return false;
      }
      if (newest) readings[kind].newestAt = list.begunAt;
      else await endWhole(list, fits);
    } catch (error) {
      if (!(error instanceof UpstreamFailure || isOfIndex(error))) throw error;
      // A new index is read from the beginning. What fails of the newest sessions fails in the next pass, too.
      if (!newest && list.built === built) failed(readings[kind], kind, error);
    }
    if (newest) {
      if (kind === 'people') newestEnded();
      return true;
    }
    ended(kind);
    if (kind === 'people') {
      await mergeTexts(index, merged !== built);
      merged = built;
      log.info(await index.sizes().catch(() => {}), 'the index of identities has been read');
    }
    return true;
  }

  function failed(reading: Reading, list: Kind, error: Error): void {
    reading.dueAt = monotonic() + pace.retryMs;
    if (reading.failingSince === undefined) log.warn({ error, list }, 'a list could not be read to its end');
    reading.failingSince ??= now();
    if (error instanceof UpstreamFailure) reading.failure = error;
    else
      reading.failure = error instanceof IndexRefused ? new UpstreamFailure('nonsense', { cause: error }) : undefined;
  }

  /** In slices: questions come in between. */
  async function dropUnmet({ kind, pass }: Pick<Turn, 'kind' | 'pass'>): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; ) after = await index.endPass(kind, pass, after);
  }

  async function endWhole({ kind, pass, since, begunAt, built: of }: Turn, isAll: boolean): Promise<void> {
    if (isAll) await dropUnmet({ kind, pass });
    const fits = await index.keepReading(kind, { wholeAt: begunAt, fits: isAll });
    if (of !== built) throw new IndexUnavailable(BEGUN_ANEW);
    const reading = readings[kind];
    reading.fits = fits;
    reading.wholeAt = begunAt;
    reading.failingSince = undefined;
    reading.failure = undefined;
    const isOutdated = kind === 'people' && unknownAt >= since;
    reading.dueAt = monotonic() + (isOutdated ? pace.broughtForwardMs : pace.apartMs);
    if (kind !== 'clients') newestDueAt = Math.min(newestDueAt, monotonic() + pace.newestMs);
    if (kind === 'people') peopleEndedAt = monotonic();
  }

  return {
    asked() {
      askedAt = monotonic();
      schedule();
    },
    isAsked,
    state(kind) {
      const { people, sessions } = readings;
      if (kind !== 'people') return readings[kind];
      // Whoever is new is found by both.
      const bySession = sessions.newestAt ?? sessions.wholeAt;
      const newestAt = people.newestAt && bySession && Math.min(people.newestAt, bySession);
      return { ...people, newestAt };
    },
    ended: (kind) => new Promise((resolve) => void waiting[kind].push(resolve)),
    refreshed() {
      const isRecent = newestDueAt - pace.newestMs + pace.newestOnRequestMs > monotonic();
      if (newestDueAt === Number.POSITIVE_INFINITY || (isRecent && waitingForNewest.length === 0))
        return Promise.resolve();
      if (!isRecent) newestDueAt = monotonic();
      const done = new Promise<void>((resolve) => void waitingForNewest.push(resolve));
      schedule();
      return done;
    },
    bringForward() {
      unknownAt = monotonic();
      const { people } = readings;
      people.dueAt = Math.min(people.dueAt, Math.max(unknownAt, peopleEndedAt + pace.broughtForwardMs));
      schedule();
    },
    forgetAll({ pass, readings: kept }) {
      built += 1;
      writer.passesUpTo(pass);
      for (const kind of KINDS) readings[kind] = { ...nothing(), ...kept[kind] };
      newestDueAt = Number.POSITIVE_INFINITY;
      peopleEndedAt = Number.NEGATIVE_INFINITY;
      mayRunAt = Number.NEGATIVE_INFINITY;
      schedule();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      // A page may still be on its way: neither is it waited for, nor have others to wait for the lease to run out.
      await holding?.catch(() => {});
      if (running) await lease.release().catch(() => {});
    },
  };
}
