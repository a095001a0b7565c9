import { Worker } from 'node:worker_threads';
import type { CheckWorker } from '../../client/features/identities/traits-check.ts';

/** The module as a worker of the page, in a thread: what it computes can be ended from outside, as in a browser. */
export function threadWorker(module: string): CheckWorker {
  const thread = new Worker(new URL('./thread-worker.mjs', import.meta.url), { workerData: module, execArgv: [] });
  const worker: CheckWorker = {
    postMessage: (message: unknown) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
    onmessage: null,
    onerror: null,
  };
  const page = worker as unknown as globalThis.Worker;
  thread.on('message', (data) => worker.onmessage?.call(page, { data } as MessageEvent));
  thread.on('error', (error) => worker.onerror?.call(page, { error } as ErrorEvent));
  // Last, for a listener counts as somebody who waits.
  thread.unref();
  return worker;
}
