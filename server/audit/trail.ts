import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { SigningKeys } from '../crypto/signer.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable, StatementTooLarge } from '../db/errors.ts';
import type { Log } from '../log.ts';
import { auditChain, type ChainHead } from './chain.ts';
import type { ActEvent, AuditEvent, WithTimestamp } from './event.ts';
import { verifyChain } from './verify.ts';

const CAPACITY = 10_000;
/** Small, and followed by a pause: a settings write that waits for the chain's lock waits for one batch at most. */
const BATCH = 50;
const PAUSE_MS = 5;
const RETRY_MS = 1_000;
/** How long a response waits for its audit record. */
const WAIT_MS = 2_000;

interface Queued {
  event: WithTimestamp<ActEvent>;
  settle(): void;
}

/**
 * Records events in the background, in order. An event that does not fit, or that alone is too large for the database, is
 * dropped, counted and logged; a failed batch is retried unless `drain` is waiting.
 */
export function auditQueue(options: {
  append: (events: readonly WithTimestamp<ActEvent>[]) => Promise<void>;
  log: Pick<Log, 'warn' | 'error'>;
  capacity?: number | undefined;
  retryMs?: number;
  waitMs?: number;
}) {
  const { append, log, capacity = CAPACITY, retryMs = RETRY_MS, waitMs = WAIT_MS } = options;
  let waiting: Queued[] = [];
  /** How many the database accepts at once. */
  let most = BATCH;
  let taken = 0;
  let dropped = 0;
  /** How many of the dropped records have been logged. */
  let reported = 0;
  let failing = false;
  let running: Promise<void> | undefined;
  let drainers = 0;
  let wake = new AbortController();

  function reportDrops(): void {
    if (dropped > reported) log.warn({ dropped: dropped - reported }, 'audit records dropped');
    reported = dropped;
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      try {
        await append(batch.map(({ event }) => event));
        waiting = waiting.slice(batch.length);
        failing = false;
        for (const { settle } of batch) settle();
        reportDrops();
        await pause(PAUSE_MS);
      } catch (error) {
        if (error instanceof StatementTooLarge) {
          most = Math.ceil(batch.length / 2);
          if (batch.length > 1) continue;
          waiting.shift()?.settle();
          dropped += 1;
          reportDrops();
          continue;
        }
        if (!failing) log.error({ error }, 'audit records are waiting for the database');
        failing = true;
        for (const { settle } of waiting) settle();
        if (drainers > 0) {
          dropped += waiting.length;
          waiting = [];
          reportDrops();
        } else await pause(retryMs);
      }
    }
  }

  /** A pause that does not keep the process alive, and that a drain cuts short. */
  const pause = (ms: number): Promise<void> =>
    drainers > 0 ? Promise.resolve() : sleep(ms, undefined, { ref: false, signal: wake.signal }).catch(() => {});

  function start(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    /** `failing`: whether the last write failed. */
    state: () => ({ taken, waiting: waiting.length, dropped, failing }),
    /** Never rejects. Resolves once it is stored, or was dropped, or the last write failed, or it took too long. */
    add(event: WithTimestamp<ActEvent>): Promise<void> {
      taken += 1;
      if (waiting.length >= capacity) {
        if (dropped === reported) log.warn({ capacity }, 'the audit queue is full');
        dropped += 1;
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

/**
 * @param options.keys derived for the audit trail alone
 * @param options.capacity the capacity of the queue, in records
 */
export function createAuditTrail(options: {
  database: Database;
  keys: SigningKeys;
  log: Log;
  now: () => number;
  capacity?: number;
}) {
  const { database, log, now, capacity } = options;
  const chain = auditChain(options.keys);
  /** For what must be logged in any case: logs even at level `silent`. */
  const lines = log.child({}, { level: 'info' });

  /** Every append locks this one row, so that all processes extend a single chain. */
  const lockedHead = async (trx: Knex.Transaction): Promise<ChainHead> => {
    const head: ChainHead | undefined = await trx('audit_head').where({ id: 1 }).forUpdate().first('sequence', 'tag');
    if (head === undefined) throw new Error('the audit chain has no head');
    return head;
  };

  const timed = <Event extends AuditEvent>(event: Event | WithTimestamp<Event>): WithTimestamp<Event> => ({
    ...event,
    timestamp: 'timestamp' in event ? event.timestamp : new Date(now()).toISOString(),
  });

  async function append(events: readonly WithTimestamp<AuditEvent>[], trx: Knex.Transaction): Promise<void> {
    let head = await lockedHead(trx);
    const records = events.map((event) => {
      const record = chain.link(head, event);
      head = record;
      return record;
    });
    await trx('audit_log').insert(records);
    await trx('audit_head').where({ id: 1 }).update({ sequence: head.sequence, tag: head.tag });
    // The log contains the chain's fields as well, and so reveals a tail truncated in the database.
    const logAll = (): void => {
      for (const [index, { sequence, tag }] of records.entries())
        lines.info({ audit: events[index], sequence, tag }, 'audit');
      log.writeBlock();
    };
    trx.executionPromise.then(logAll, () => {});
  }

  const appendAll = (events: readonly WithTimestamp<AuditEvent>[]): Promise<void> =>
    database.transaction((trx) => append(events, trx));
  const queue = auditQueue({ append: appendAll, log, capacity });

  return {
    /**
     * Writes a record to the database and, once it is committed, to the log.
     * @throws DatabaseUnavailable, StatementTooLarge: an act that cannot be recorded must not happen
     */
    async record(event: AuditEvent | WithTimestamp<AuditEvent>, trx?: Knex.Transaction) {
      const events = [timed(event)];
      await orUnavailable(trx === undefined ? appendAll(events) : append(events, trx));
    },
    recordAll: (events: readonly AuditEvent[], trx: Knex.Transaction) => orUnavailable(append(events.map(timed), trx)),
    /**
     * Locks the chain for a transaction that will record something, before it touches other rows: all transactions then
     * lock in the same order, and cannot deadlock.
     * @returns the sequence of the next record
     */
    lock: async (trx: Knex.Transaction) => (await orUnavailable(lockedHead(trx))).sequence + 1,
    /** For acts that have already happened: recorded in the background, with the time of the act. */
    queue: (event: ActEvent) => queue.add(timed(event)),
    queueState: queue.state,
    /** Waits until the queue is written, or dropped because the database is unavailable. */
    drain: queue.drain,
    /**
     * Verifies the whole chain: finds changed, removed, inserted and reordered records, and a truncated tail.
     * @param expected a record known to have existed; without it, a trail truncated together with its head passes
     */
    verify: (expected?: ChainHead) => verifyChain(database, chain, expected),
  };
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** Whatever the cause, the act must not happen now, and may be retried unless its record is too large. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof StatementTooLarge) throw cause;
    throw new DatabaseUnavailable('the audit record could not be written', { cause });
  }
}
