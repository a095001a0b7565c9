import { Worker } from 'node:worker_threads';
import type { Log } from '../log/log.ts';
import type { IndexCommands } from './index-commands.ts';
import type { Command, IndexWorkerData, Outcome } from './index-worker.ts';

/** The commands of the worker, asked from the main thread. */
export type IndexThread = {
  [Name in keyof IndexCommands]: (...args: Parameters<IndexCommands[Name]>) => Promise<ReturnType<IndexCommands[Name]>>;
};

/** The worker ended before it answered, or the queue in front of it is full. */
export class IndexUnavailable extends Error {}

/** The worker refused a command: what it was given is not what it should be. */
export class IndexRefused extends Error {}

export interface RunningIndex {
  ask: IndexThread;
  stop(): Promise<void>;
}

/** Commands that wait for the worker at once. */
const WAITING = 256;
const RESTART_MS = 1_000;

/** A file beside the service's in the build; from the sources, tsx has to read it in that thread, too. */
function startWorker(workerData: IndexWorkerData): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./index-worker.js', import.meta.url), { workerData });
  const source = JSON.stringify(new URL('./index-worker.ts', import.meta.url));
  const code = `import('tsx/esm/api').then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, workerData });
}

/**
 * Starts the worker, and again whenever it dies.
 * @param onBegin called for each worker: its index is empty
 */
export function indexThread(options: { data: IndexWorkerData; onBegin: () => void; log: Log }): RunningIndex {
  const { data, onBegin, log } = options;
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let worker: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let number = 0;
  let stopped = false;

  function begin(): void {
    const current = startWorker(data);
    worker = current;
    // The service ends without waiting for it.
    current.unref();
    current.on('message', (outcome: Outcome) => {
      const asked = waiting.get(outcome.number);
      waiting.delete(outcome.number);
      if ('result' in outcome) asked?.resolve(outcome.result as never);
      else asked?.reject(new IndexRefused(`${outcome.error.name} ${outcome.error.message}`.trim()));
    });
    current.on('error', (error) => log.error({ error }, 'the index of people has failed; it is built anew'));
    current.on('exit', () => {
      worker = undefined;
      for (const { reject } of waiting.values()) reject(new IndexUnavailable('the worker has ended'));
      waiting.clear();
      if (!stopped) restart = setTimeout(begin, RESTART_MS).unref();
    });
    onBegin();
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
        }),
  });

  begin();
  return {
    ask,
    async stop() {
      stopped = true;
      clearTimeout(restart);
      await worker?.terminate();
    },
  };
}
