import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log/log.ts';
import type { ActEvent, Timed } from './audit-event.ts';

const CAPACITY = 10_000;
/** Small, with a pause between: a settings write that waits for the chain's lock waits for one batch at most. */
const BATCH = 50;
const PAUSE_MS = 5;
const RETRY_MS = 1_000;
/** As long as an answer waits for its record. */
const WAIT_MS = 2_000;

/** Since the process started. */
export interface AuditQueueState {
  taken: number;
  waiting: number;
  dropped: number;
  /** Whether the last attempt to write failed. */
  failing: boolean;
}

export interface AuditQueue {
  state(): AuditQueueState;
  /**
   * Never fails. Settles once the record is stored, or to wait longer is of no use: it was dropped, the last attempt to
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
 * Records events in the background, in the order they came. What finds no room is dropped, counted and logged; a batch
 * that fails is tried again, unless `drain` is waiting.
 */
export function auditQueue(options: {
  append: (events: readonly Timed<ActEvent>[]) => Promise<void>;
  log: Pick<Log, 'warn' | 'error'>;
  capacity?: number;
  retryMs?: number;
  waitMs?: number;
}): AuditQueue {
  const { append, log, capacity = CAPACITY, retryMs = RETRY_MS, waitMs = WAIT_MS } = options;
  let waiting: Queued[] = [];
  let taken = 0;
  let droppedInAll = 0;
  /** Not yet reported. */
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

  /** Neither holds the process, nor holds up a drain. */
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
