import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { SigningKeys } from '../crypto/signer.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { type Log, unconditionalLines } from '../log.ts';
import { auditChain, type ChainHead } from './chain.ts';
import type { ActEvent, AuditEvent, Timed } from './event.ts';
import { type ChainVerdict, verifyChain } from './verify.ts';

const CAPACITY = 10_000;
/**
 * Small batches with a pause in between: a settings write that waits for the chain's lock waits for one batch at most.
 */
const BATCH = 50;
const PAUSE_MS = 5;
const RETRY_MS = 1_000;
/** How long a response waits for its audit record. */
const WAIT_MS = 2_000;

export interface AuditQueueState {
  taken: number;
  waiting: number;
  dropped: number;
  /** Whether the last write failed. */
  failing: boolean;
}

export interface AuditQueue {
  state(): AuditQueueState;
  /**
   * Never rejects. Resolves once the record is stored, or once waiting is pointless: the record was dropped, the last
   * write failed, or it took too long.
   */
  add(event: Timed<ActEvent>): Promise<void>;
  drain(): Promise<void>;
}

interface Queued {
  event: Timed<ActEvent>;
  settle(): void;
}

const settleAll = (queued: readonly Queued[]): void => {
  for (const { settle } of queued) settle();
};

/**
 * Records events in the background, in order. An event that does not fit is dropped, counted and logged; a failed batch
 * is retried unless `drain` is waiting.
 */
export function auditQueue(options: {
  append: (events: readonly Timed<ActEvent>[]) => Promise<void>;
  log: Pick<Log, 'warn' | 'error'>;
  capacity?: number | undefined;
  retryMs?: number;
  waitMs?: number;
}): AuditQueue {
  const { append, log, capacity = CAPACITY, retryMs = RETRY_MS, waitMs = WAIT_MS } = options;
  let waiting: Queued[] = [];
  let taken = 0;
  let droppedInAll = 0;
  /** Dropped and not yet logged. */
  let dropped = 0;
  let failing = false;
  let running: Promise<void> | undefined;
  let drainers = 0;
  let wake = new AbortController();

  function drop(records: number): void {
    dropped += records;
    droppedInAll += records;
  }

  function reportDrops(): void {
    if (dropped > 0) log.warn({ dropped }, 'audit records dropped');
    dropped = 0;
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      try {
        await append(batch.map(({ event }) => event));
        waiting = waiting.slice(batch.length);
        failing = false;
        settleAll(batch);
        reportDrops();
        await pause(PAUSE_MS);
      } catch (error) {
        if (!failing) log.error({ error }, 'audit records are waiting for the database');
        failing = true;
        settleAll(waiting);
        if (drainers > 0) {
          drop(waiting.length);
          waiting = [];
          reportDrops();
        } else await pause(retryMs);
      }
    }
  }

  /** Does not keep the process alive, and a drain cuts it short. */
  const pause = (ms: number): Promise<void> =>
    drainers > 0 ? Promise.resolve() : sleep(ms, undefined, { ref: false, signal: wake.signal }).catch(() => {});

  function start(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    state: () => ({ taken, waiting: waiting.length, dropped: droppedInAll, failing }),
    add(event) {
      taken += 1;
      if (waiting.length >= capacity) {
        if (dropped === 0) log.warn({ capacity }, 'the audit queue is full');
        drop(1);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const patience = setTimeout(resolve, waitMs);
        const settle = (): void => {
          clearTimeout(patience);
          resolve();
        };
        waiting.push({ event, settle });
        if (failing) settle();
        void start();
      });
    },
    async drain() {
      drainers += 1;
      wake.abort();
      try {
        while (waiting.length > 0) await start();
        await running;
        reportDrops();
      } finally {
        drainers -= 1;
        if (drainers === 0) wake = new AbortController();
      }
    },
  };
}

export interface AuditTrail {
  /**
   * Writes a record to the database and, once it is committed, to the log. With `trx` it is committed or rolled back
   * with that transaction. Rejects with an error that `isUnavailable` recognises: an act that cannot be recorded must
   * not happen. An event that already has a time (because it is recorded later) keeps it.
   */
  record(event: AuditEvent | Timed<AuditEvent>, trx?: Knex.Transaction): Promise<void>;
  recordAll(events: readonly AuditEvent[], trx: Knex.Transaction): Promise<void>;
  /**
   * Locks the chain for a transaction that will record something, before it touches other rows. All acts then lock in
   * the same order and cannot deadlock.
   * @returns the sequence of the record that follows
   */
  lock(trx: Knex.Transaction): Promise<number>;
  /**
   * For acts that have already happened: records them in the background, in order, while the queue has room.
   * @returns resolves once the record is stored or waiting is pointless; never rejects
   */
  queue(event: ActEvent): Promise<void>;
  queueState(): AuditQueueState;
  /** Waits until the queue is written, or given up because the database is unavailable. */
  drain(): Promise<void>;
  /**
   * Verifies the whole chain: finds changed, removed, inserted and reordered records, and a truncated tail.
   * @param expected a record known to have existed; without it, a trail truncated together with its head passes
   */
  verify(expected?: ChainHead): Promise<ChainVerdict>;
}

/**
 * @param options.keys derived for the audit trail alone
 * @param options.now milliseconds since the epoch
 * @param options.capacity of the queue, in records
 */
export function createAuditTrail(options: {
  database: Database;
  keys: SigningKeys;
  log: Log;
  now: () => number;
  capacity?: number;
}): AuditTrail {
  const { database, log, now, capacity } = options;
  const chain = auditChain(options.keys);
  const writeLine = unconditionalLines(log);

  /** Every append locks this one row, so that all processes extend a single chain. */
  const lockedHead = async (trx: Knex.Transaction): Promise<ChainHead> => {
    const head: ChainHead | undefined = await trx('audit_head').where({ id: 1 }).forUpdate().first('sequence', 'tag');
    if (head === undefined) throw new Error('the audit chain has no head');
    return head;
  };

  const timed = <Event extends AuditEvent>(event: Event | Timed<Event>): Timed<Event> => ({
    ...event,
    timestamp: 'timestamp' in event ? event.timestamp : new Date(now()).toISOString(),
  });

  async function append(events: readonly Timed<AuditEvent>[], trx: Knex.Transaction): Promise<void> {
    let head = await lockedHead(trx);
    const records = events.map((event) => {
      const record = chain.link(head, event);
      head = record;
      return record;
    });
    await trx('audit_log').insert(records);
    await trx('audit_head').where({ id: 1 }).update({ sequence: head.sequence, tag: head.tag });
    // The log has the chain's fields, too, and so reveals a tail truncated in the database.
    const say = (): void => {
      for (const [index, { sequence, tag }] of records.entries())
        writeLine({ audit: events[index], sequence, tag }, 'audit');
    };
    trx.executionPromise.then(say, () => {});
  }

  const appendAll = (events: readonly Timed<AuditEvent>[]): Promise<void> =>
    database.transaction((trx) => append(events, trx));
  const queue = auditQueue({ append: appendAll, log, capacity });

  return {
    async record(event, trx) {
      const events = [timed(event)];
      await orUnavailable(trx === undefined ? appendAll(events) : append(events, trx));
    },
    recordAll: (events, trx) => orUnavailable(append(events.map(timed), trx)),
    lock: async (trx) => (await orUnavailable(lockedHead(trx))).sequence + 1,
    // Stamped with the time of the act, however long the record is queued.
    queue: (event) => queue.add(timed(event)),
    queueState: queue.state,
    drain: queue.drain,
    verify: (expected) => verifyChain(database, chain, expected),
  };
}

/** Whatever the cause: the act must not happen now and may be retried. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new DatabaseUnavailable('the audit record could not be written', { cause });
  }
}
