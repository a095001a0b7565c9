import type { Knex } from 'knex';
import type { SigningKeys } from '../crypto/signer.ts';
import type { Database } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { type Log, unconditionalLines } from '../log/log.ts';
import { auditChain, type ChainHead } from './audit-chain.ts';
import type { ActEvent, AuditEvent, Timed } from './audit-event.ts';
import { type AuditQueueState, auditQueue } from './audit-queue.ts';
import { type ChainVerdict, verifyChain } from './verify-chain.ts';

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
