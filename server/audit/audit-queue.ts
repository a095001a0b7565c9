import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log/log.ts';
import type { ActEvent, Timed } from './audit-event.ts';

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
