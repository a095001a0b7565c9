import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { OutgoingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { Server } from 'node:net';

/** What was made or called in this thread. */
export interface Work {
  promises: number;
  timers: number;
  listeners: number;
  /** `setHeader` and `appendHeader`. */
  headersSet: number;
  /** Router layers that were asked whether they match. */
  layers: number;
  /** Requests, responses and connections of Node, on either side. */
  handles: number;
}

const HANDLES = new Set(['HTTPINCOMINGMESSAGE', 'HTTPCLIENTREQUEST', 'TCPWRAP', 'TCPSERVERWRAP', 'SHUTDOWNWRAP']);

type Method = (...args: unknown[]) => unknown;

/** Whatever runs for a connection, that to an upstream included if it was opened for one. */
const forConnection = new AsyncLocalStorage<true>();
const emit = Server.prototype.emit as Method;
(Server.prototype as { emit: Method }).emit = function (event, ...args) {
  const emitted = (): unknown => emit.call(this, event, ...args);
  return event === 'connection' ? forConnection.run(true, emitted) : emitted();
};

/**
 * Counts what a step makes: by `async_hooks` and by instrumented prototypes, so that no noise of the machine disturbs it.
 * Only this thread is counted (whatever drives the step belongs into another one) and, of promises, timers and handles, only
 * what connections to its servers cause: the tests' loader cleans its disk cache meanwhile, a promise for each file.
 */
export async function countedWork(step: () => Promise<void>): Promise<Work> {
  const work: Work = { promises: 0, timers: 0, listeners: 0, headersSet: 0, layers: 0, handles: 0 };
  const hook = createHook({
    init(_id, type) {
      if (forConnection.getStore() === undefined) return;
      if (type === 'PROMISE') work.promises += 1;
      else if (type === 'Timeout') work.timers += 1;
      else if (HANDLES.has(type)) work.handles += 1;
    },
  });
  const Layer = createRequire(import.meta.url)('router/lib/layer.js') as { prototype: Record<string, Method> };
  const restore = [
    counting(EventEmitter.prototype as never, ['on', 'addListener', 'prependListener'], () => (work.listeners += 1)),
    counting(OutgoingMessage.prototype as never, ['setHeader', 'appendHeader'], () => (work.headersSet += 1)),
    counting(Layer.prototype, ['match'], () => (work.layers += 1)),
  ];
  hook.enable();
  try {
    await step();
  } finally {
    hook.disable();
    for (const undo of restore) undo();
  }
  return work;
}

function counting(prototype: Record<string, Method>, names: readonly string[], count: () => void): () => void {
  const originals = names.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals)
    prototype[name] = function (...args) {
      count();
      return original?.apply(this, args);
    };
  return () => {
    for (const [name, original] of originals) if (original !== undefined) prototype[name] = original;
  };
}
