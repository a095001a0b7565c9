import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fairQueue, type QueueLimits } from '../http/limits.ts';
import type { Log } from '../log.ts';
import type { IndexCommands } from './commands.ts';
import type { KeptReadings } from './file.ts';
import type { IndexPlace } from './files.ts';
import type { Command, IndexWorkerData, Outcome, Said } from './worker.ts';

/** Too many questions wait, or this one has waited too long. */
export class IndexBusy extends Error {}

/** The worker has one question at a time, so that none waits for more than one of each other session. */
const LIMITS: QueueLimits = { places: 1, waiting: 256, waitMs: 8_000 };

/** Asks when it is the session's turn. @throws IndexBusy */
export type InTurn = <T>(session: string, ask: () => Promise<T>) => Promise<T>;

export function questionsInTurn(limits = LIMITS): InTurn {
  const queue = fairQueue(limits);
  return async (session, ask) => {
    let leave = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        leave = queue.claim(session, { granted: resolve, refused: () => reject(new IndexBusy()) });
      });
      return await ask();
    } finally {
      leave();
    }
  };
}

/** What one slice of merging writes: some 20 milliseconds' worth. */
const MERGED_PAGES = 32;

/** Makes one segment of the full-text index after the first pass; later on, few enough. */
export async function mergeTexts(index: Pick<IndexThread, 'mergeTexts'>, isFirst: boolean): Promise<void> {
  let pages = isFirst ? -MERGED_PAGES : MERGED_PAGES;
  try {
    while (await index.mergeTexts(pages)) pages = MERGED_PAGES;
  } catch (error) {
    // Without room, or without the worker, it stays as it is.
    if (!isOfIndex(error)) throw error;
  }
}

/** The commands of the worker, asked from the main thread. */
export type IndexThread = {
  [Name in keyof IndexCommands]: (...args: Parameters<IndexCommands[Name]>) => Promise<ReturnType<IndexCommands[Name]>>;
};

/** The worker is not there, has ended before it answered, or has far too much to do. */
export class IndexUnavailable extends Error {}

/** The worker refused a command: what it was given is not what it should be. */
export class IndexRefused extends Error {}

export const isOfIndex = (error: unknown): error is IndexRefused | IndexUnavailable =>
  error instanceof IndexRefused || error instanceof IndexUnavailable;

export interface RunningIndex {
  ask: IndexThread;
  /** Resolves once the worker has opened its database. @throws IndexUnavailable while there is no worker */
  opened(): Promise<void>;
  /** Starts it again with nothing in it. */
  empty(): void;
  stop(): Promise<void>;
}

/** What is used of a `Worker`. */
export type IndexWorker = Pick<EventEmitter, 'on'> & Pick<Worker, 'postMessage' | 'terminate' | 'unref'>;

/** Commands that wait for the worker at once: a few questions, and many changes. */
const WAITING = 10_000;
/** A worker that says nothing for so long, with work to do, is replaced; but seldom: the index in memory goes with it. */
const SILENT_MS = 30_000;
const REPLACED_EVERY_MS = 10 * 60_000;
/** Until a worker that died is started again: twice as long each time, until one has lived for a while. */
const RESTART_MS = { first: 1_000, most: 5 * 60_000, forgottenAfter: 60_000 };

/** SQLite's memory is not in the limit of its heap; beyond that, Node ends the worker, not the service. */
function startWorker(workerData: IndexWorkerData): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './index-worker.js';
  const resourceLimits = { maxOldGenerationSizeMb: workerData.place.heapMegabytes };
  return new Worker(new URL(file, import.meta.url), { workerData, resourceLimits });
}

/**
 * Starts the worker, and again whenever it dies.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 * @param options.onBegin called for each worker, with what an earlier one has read
 * @param options.later calls after so many milliseconds. @returns what keeps it from being called
 */
export function indexThread(options: {
  place: IndexPlace;
  now: () => number;
  monotonic: () => number;
  onBegin: (kept: KeptReadings) => void;
  log: Log;
  start?: (data: IndexWorkerData) => IndexWorker;
  later?: (ms: number, act: () => void) => () => void;
}): RunningIndex {
  const { place, now, monotonic, onBegin, log, start = startWorker, later = laterUnref } = options;
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let worker: IndexWorker | undefined;
  let isOpen = false;
  let anew = false;
  /** Ended by us, to be started again. */
  let isReplaced = false;
  let restartMs = RESTART_MS.first;
  let cancelRestart = (): void => {};
  let cancelWatch = (): void => {};
  let replacedAt = Number.NEGATIVE_INFINITY;
  let number = 0;
  let stopped = false;

  function begin(): void {
    let openedAt = Number.POSITIVE_INFINITY;
    let why: { error?: unknown; lost?: string } = {};
    try {
      worker = start({ place, now: now(), anew });
    } catch (error) {
      ended(openedAt, { error });
      return;
    }
    // The service ends without waiting for it.
    worker.unref();
    worker.on('message', (said: Said) => {
      if ('opened' in said) {
        [openedAt, isOpen, anew] = [monotonic(), true, false];
        const { problem, readings } = said.opened;
        if (problem !== undefined)
          log.warn({ variable: 'IDENTITY_INDEX' }, `the index is kept in memory: its file ${problem}`);
        onBegin(readings);
      } else if ('lost' in said) {
        why = said;
        anew = true;
      } else settle(said);
      watch();
    });
    worker.on('error', (error) => {
      why = { error };
    });
    worker.on('exit', () => ended(openedAt, why));
  }

  /** From each sign of life on; opening a large file that has to be mended may take any time. */
  function watch(): void {
    cancelWatch();
    cancelWatch = isOpen && waiting.size > 0 ? later(SILENT_MS, giveUp) : () => {};
  }

  function giveUp(): void {
    cancelWatch = () => {};
    leaveNobodyWaiting();
    if (monotonic() - replacedAt < REPLACED_EVERY_MS) return;
    replacedAt = monotonic();
    log.error('the worker of the index does not answer; it is replaced');
    replace();
  }

  function leaveNobodyWaiting(): void {
    for (const { reject } of waiting.values()) reject(new IndexUnavailable('the worker has ended'));
    waiting.clear();
  }

  /** The next one begins where this one has ended: it may have a file open, and memory. */
  function replace(): void {
    isReplaced ||= worker !== undefined;
    const ending = worker;
    [worker, isOpen] = [undefined, false];
    void ending?.terminate();
  }

  function settle(outcome: Outcome): void {
    const asked = waiting.get(outcome.number);
    waiting.delete(outcome.number);
    if ('result' in outcome) asked?.resolve(outcome.result as never);
    else asked?.reject(new IndexRefused(`${outcome.error.name} ${outcome.error.message}`.trim()));
  }

  function ended(openedAt: number, why: { error?: unknown; lost?: string }): void {
    worker = undefined;
    isOpen = false;
    cancelWatch();
    leaveNobodyWaiting();
    if (stopped) return;
    if (isReplaced) {
      isReplaced = false;
      begin();
      return;
    }
    log.error(why, 'the worker of the index has ended; it is started again');
    if (monotonic() - openedAt >= RESTART_MS.forgottenAfter) restartMs = RESTART_MS.first;
    cancelRestart = later(restartMs, begin);
    restartMs = Math.min(restartMs * 2, RESTART_MS.most);
  }

  const ask = new Proxy({} as IndexThread, {
    get:
      (_target, name: keyof IndexCommands) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          if (worker === undefined || waiting.size >= WAITING) {
            reject(new IndexUnavailable('the worker is not there, or has too much to do'));
            return;
          }
          number += 1;
          waiting.set(number, { resolve, reject });
          worker.postMessage({ number, name, args } satisfies Command);
          if (waiting.size === 1) watch();
        }),
  });

  begin();
  return {
    ask,
    // It answers nothing before it has said that it is open.
    opened: async () => void (isOpen || (await ask.readings())),
    empty() {
      anew = true;
      replace();
    },
    async stop() {
      stopped = true;
      cancelRestart();
      await worker?.terminate();
    },
  };
}

function laterUnref(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
}
