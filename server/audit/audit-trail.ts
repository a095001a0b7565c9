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
   * Writes a record to the database and, once it is committed, to the log. With `trx` it stands or falls with that
   * transaction. Rejects with an error that `isUnavailable` recognises: an act that cannot be recorded must not happen.
   * An event that has a time, because it is recorded later, keeps it.
   */
  record(event: AuditEvent | Timed<AuditEvent>, trx?: Knex.Transaction): Promise<void>;
  /** Several at once, which stand or fall with the transaction. */
  recordAll(events: readonly AuditEvent[], trx: Knex.Transaction): Promise<void>;
  /**
   * Takes the chain's lock for a transaction that will record something, before it touches other rows: all acts then
   * lock in the same order and cannot deadlock.
   */
  lock(trx: Knex.Transaction): Promise<void>;
  /**
   * For acts that have happened already: recorded in the background, in order, as far as there is room.
   * @returns settles once it is stored, or to wait for that is of no use; never rejects
   */
  queue(event: ActEvent): Promise<void>;
  /** How the queue has fared since the process started. */
  queueState(): AuditQueueState;
  /** Waits until what is queued is recorded, or is given up because the database is away. */
  drain(): Promise<void>;
  /**
   * Walks the whole chain. Notices changed, removed, inserted and reordered records, and a tail that is cut off.
   * @param expected a record that was there once: without it a trail that was set back with its head looks whole
   */
  verify(expected?: ChainHead): Promise<ChainVerdict>;
}

/**
 * @param options.keys derived for this purpose alone
 * @param options.now milliseconds since the epoch
 */
export function createAuditTrail(options: {
  database: Database;
  keys: SigningKeys;
  log: Log;
  now: () => number;
}): AuditTrail {
  const { database, log, now } = options;
  const chain = auditChain(options.keys);
  const writeLine = unconditionalLines(log);

  /** The one row that appends wait for, so that all processes make one chain. */
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
    // With the chain's fields in the log, a tail that is cut off in the database shows there.
    const say = (): void => {
      for (const [index, { sequence, tag }] of records.entries())
        writeLine({ audit: events[index], sequence, tag }, 'audit');
    };
    trx.executionPromise.then(say, () => {});
  }

  const appendAll = (events: readonly Timed<AuditEvent>[]): Promise<void> =>
    database.transaction((trx) => append(events, trx));
  const queue = auditQueue({ append: appendAll, log });

  return {
    async record(event, trx) {
      const events = [timed(event)];
      await orUnavailable(trx === undefined ? appendAll(events) : append(events, trx));
    },
    recordAll: (events, trx) => orUnavailable(append(events.map(timed), trx)),
    async lock(trx) {
      await orUnavailable(lockedHead(trx));
    },
    // With the time of the act, however long the record waits.
    queue: (event) => queue.add(timed(event)),
    queueState: queue.state,
    drain: queue.drain,
    verify: (expected) => verifyChain(database, chain, expected),
  };
}

/** Whatever the cause, the act may be tried again and must not happen now. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new DatabaseUnavailable('the audit record could not be written', { cause });
  }
}
