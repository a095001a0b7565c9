import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Log } from '../log.ts';
import { type QueueLimits, turns } from '../queue.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import { type SavedSyncs, SearchTooLong } from './database.ts';
import type { IndexLocation } from './file.ts';
import { type ListedRow, listedIdentities, type RowFilter } from './sources.ts';
import type { Command, CommandResult, IndexCommands, IndexWorkerData, OpenedIndex, WorkerMessage } from './worker.ts';

/** Too many searches are waiting, or this one has waited too long. */
export class IndexBusy extends Error {}

/** The worker runs one search at a time, in turns: a session waits for at most one search of each other session. */
const QUEUE: QueueLimits = { places: 1, waiting: 256, waitMs: 8_000 };

/** Runs a search when it is the session's turn. @throws IndexBusy */
export const searchQueue = (limits = QUEUE) => turns(limits, () => new IndexBusy());

/** Nothing has been read yet; `cause` says why reading failed. */
export class NothingIndexed extends Error {}

/** The worker is not running, ended before it responded, or has too many commands waiting. */
export class IndexUnavailable extends NothingIndexed {}

/** The worker refused a command because its arguments are invalid. */
export class IndexRefused extends Error {}

/** The worker's commands, called from the main thread. @throws IndexUnavailable, IndexRefused, SearchTooLong */
export type RemoteCommands = {
  [Name in keyof IndexCommands]: (...args: Parameters<IndexCommands[Name]>) => Promise<ReturnType<IndexCommands[Name]>>;
};

/** Larger pages are parsed by the worker; this many bytes block the main thread for a few milliseconds. */
const PARSED_HERE = 256 * 1024;

/**
 * Reads the rows of a page of identities; the worker, if there is one, parses large pages.
 * @returns a function that throws an UpstreamFailure if the page is invalid
 */
export const rowsReader =
  (worker: () => Pick<RemoteCommands, 'listedIdentities'> | undefined) =>
  async (page: string, filter: RowFilter): Promise<ListedRow[]> => {
    try {
      const commands = page.length <= PARSED_HERE ? undefined : worker();
      if (commands === undefined) return listedIdentities(page, filter);
      return await commands.listedIdentities(page, filter).catch((error) => {
        if (error instanceof IndexUnavailable) return listedIdentities(page, filter);
        throw error;
      });
    } catch (error) {
      // Omits the parser's error as a cause, since its message quotes the response.
      if (error instanceof SyntaxError || error instanceof IndexRefused) throw new UpstreamFailure('nonsense');
      throw error;
    }
  };

/** The maximum number of commands that wait for the worker. */
const WAITING_MAX = 10_000;
/** A worker that is silent for this long while commands wait is replaced. Rarely, since an index in memory is lost. */
const SILENT_MS = 30_000;
const REPLACED_EVERY_MS = 10 * 60_000;
/** The delay before a dead worker is restarted. It doubles each time, until a worker has lived for `resetAfter`. */
const RESTART_MS = { first: 1_000, most: 5 * 60_000, resetAfter: 60_000 };

/** The heap limit excludes SQLite's memory; beyond it, Node ends the worker, not the service. */
function startWorker(workerData: IndexWorkerData): Worker {
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './index-worker.js';
  const resourceLimits = { maxOldGenerationSizeMb: workerData.location.heapMegabytes };
  return new Worker(new URL(file, import.meta.url), { workerData, resourceLimits });
}

function laterUnref(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms).unref();
  return () => clearTimeout(timer);
}

/**
 * Starts the worker, and restarts it whenever it dies.
 * @param options.onOpen called when a worker has opened the index, with the syncs of earlier ones
 * @param options.later calls a function after this many milliseconds; returns a function that cancels it
 */
export function indexThread(options: {
  location: IndexLocation;
  now: () => number;
  monotonic: () => number;
  onOpen: (saved: SavedSyncs) => void;
  log: Log;
  start?: (data: IndexWorkerData) => Pick<EventEmitter, 'on'> & Pick<Worker, 'postMessage' | 'terminate' | 'unref'>;
  later?: (ms: number, act: () => void) => () => void;
}) {
  const { location, now, monotonic, onOpen, log, start = startWorker, later = laterUnref } = options;
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  /** Undefined while none runs, and while one that is replaced still ends. */
  let worker: ReturnType<typeof start> | undefined;
  /** Resolves once the latest worker has opened the index, or has exited. */
  let started: Promise<void> = Promise.resolve();
  /** When the worker opened the index; undefined until then. */
  let openedAt: number | undefined;
  /** Whether the next worker discards the file. */
  let empty = false;
  let isStopped = false;
  let restartMs = RESTART_MS.first;
  let cancelRestart = (): void => {};
  let cancelWatch = (): void => {};
  let replacedAt = Number.NEGATIVE_INFINITY;
  let lastNumber = 0;

  function begin(): void {
    openedAt = undefined;
    try {
      worker = start({ location, now: now(), empty });
    } catch (error) {
      beginLater({ error });
      return;
    }
    const own = worker;
    // It must not keep the process alive.
    own.unref();
    let why: { error?: unknown; lost?: string } = {};
    started = new Promise((resolve) => {
      for (const event of ['message', 'exit']) own.on(event, resolve);
    });
    own.on('message', (message: WorkerMessage) => {
      // A replaced worker may still open its index.
      if (worker !== own) return;
      if ('opened' in message) onOpened(message.opened);
      else if ('lost' in message) {
        why = message;
        empty = true;
      } else settle(message);
      watch();
    });
    own.on('error', (error) => {
      why = { error };
    });
    own.on('exit', () => {
      const isReplaced = worker !== own;
      worker = undefined;
      cancelWatch();
      rejectAll();
      if (isStopped) return;
      if (isReplaced) begin();
      else beginLater(why);
    });
  }

  function onOpened({ problem, saved }: OpenedIndex): void {
    openedAt = monotonic();
    empty = false;
    if (problem !== undefined)
      log.warn({ variable: 'IDENTITY_INDEX' }, `the index is kept in memory: its file ${problem}`);
    onOpen(saved);
  }

  function beginLater(why: object): void {
    log.error(why, 'the index worker has ended and will be restarted');
    if (openedAt !== undefined && monotonic() - openedAt >= RESTART_MS.resetAfter) restartMs = RESTART_MS.first;
    openedAt = undefined;
    cancelRestart = later(restartMs, begin);
    restartMs = Math.min(restartMs * 2, RESTART_MS.most);
  }

  /**
   * Restarts the watchdog after each message, except while the file is being opened: repairing a large one may take
   * long.
   */
  function watch(): void {
    cancelWatch();
    cancelWatch = openedAt !== undefined && waiting.size > 0 ? later(SILENT_MS, onSilence) : () => {};
  }

  function onSilence(): void {
    cancelWatch = () => {};
    rejectAll();
    if (monotonic() - replacedAt < REPLACED_EVERY_MS) return;
    replacedAt = monotonic();
    log.error('the index worker does not respond and is replaced');
    replace();
  }

  function rejectAll(): void {
    for (const { reject } of waiting.values()) reject(new IndexUnavailable('the worker has ended'));
    waiting.clear();
  }

  /** Terminating a worker while it loads SQLite's native code aborts the whole process. */
  async function terminate(ending: typeof worker): Promise<void> {
    await started;
    await ending?.terminate();
  }

  /** The next worker starts when this one has exited, since it may have the file open. */
  function replace(): void {
    const ending = worker;
    worker = undefined;
    openedAt = undefined;
    void terminate(ending);
  }

  function settle(outcome: CommandResult): void {
    const command = waiting.get(outcome.number);
    waiting.delete(outcome.number);
    if ('result' in outcome) command?.resolve(outcome.result as never);
    else {
      const { name, message } = outcome.error;
      command?.reject(name === 'SearchTooLong' ? new SearchTooLong() : new IndexRefused(`${name} ${message}`.trim()));
    }
  }

  const commands = new Proxy({} as RemoteCommands, {
    get:
      (_target, name: keyof IndexCommands) =>
      (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          if (worker === undefined || waiting.size >= WAITING_MAX) {
            reject(new IndexUnavailable('the worker is not running, or has too much to do'));
            return;
          }
          lastNumber += 1;
          waiting.set(lastNumber, { resolve, reject });
          worker.postMessage({ number: lastNumber, name, args } satisfies Command);
          if (waiting.size === 1) watch();
        }),
  });

  begin();
  return {
    commands,
    /** Resolves once the worker has opened the index; before, it responds to no command. @throws IndexUnavailable */
    opened: async () => void (openedAt !== undefined || (await commands.savedSyncs())),
    /** Restarts the worker with an empty index. */
    empty() {
      empty = true;
      replace();
    },
    async stop() {
      isStopped = true;
      cancelRestart();
      await terminate(worker);
    },
  };
}
