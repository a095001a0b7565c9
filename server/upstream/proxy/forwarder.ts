import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { type Claim, fairQueue } from '../../queue.ts';
import { dropIdle, upstreamAgent } from '../agent.ts';
import { UpstreamFailure } from '../failure.ts';
import { appendHeaders, type HeaderList } from './headers.ts';

export type Clock = typeof systemClock;

/** Calls `tick` regularly with the time since its last call. @returns a function that ends it */
export function systemClock(milliseconds: number, tick: (elapsedMs: number) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // A tick that is very late was not caused by clients: the process was busy or stopped.
    tick(Math.min(now - last, 10 * milliseconds));
    last = now;
  }, milliseconds).unref();
  return () => clearInterval(timer);
}

/** A request that needs a connection to an upstream. */
export interface ConnectionClaim extends Claim {
  /** Called regularly while it holds a connection. */
  tick(elapsedMs: number): void;
  /** For how long its client has kept the connection busy without making progress. */
  stalledMs(): number;
  /** Aborts the request, so that others get the connection. */
  cut(): void;
}

export type FairConnections = ReturnType<typeof fairConnections>;

/**
 * A fair queue for connections. For each waiting request, one that is stalled by its own client is aborted: the longest
 * stalled one of all keys that hold more connections than the waiting key. However many keys an attacker has, its
 * stalled requests make way, and a key that holds no more connections than the waiting one loses none.
 * @param limits.stalledMs how long a client may stall a request before it may be aborted for others
 */
export function fairConnections(
  limits: { connections: number; waiting: number; waitMs: number; stalledMs: number; tickMs: number },
  clock: Clock = systemClock,
) {
  const { connections, waiting, waitMs, stalledMs, tickMs } = limits;
  const queue = fairQueue<ConnectionClaim>({ places: connections, waiting, waitMs });
  const cut = new WeakSet<ConnectionClaim>();
  let relieving: NodeJS.Timeout | undefined;
  let stopClock: (() => void) | undefined;

  function tick(elapsedMs: number): void {
    if (queue.holding.size === 0) stopClock = void stopClock?.();
    for (const claims of queue.holding.values()) for (const claim of claims) claim.tick(elapsedMs);
  }

  /** Counts the connections that each key will have once those of aborted requests are reassigned. */
  function relieve(): void {
    if (queue.waiting.size === 0) relieving = void clearInterval(relieving);
    const holds = new Map<string, number>();
    const stalled: { key: string; claim: ConnectionClaim; ms: number }[] = [];
    let onTheirWay = 0;
    for (const [key, claims] of queue.holding) {
      const others = claims.filter((claim) => !cut.has(claim));
      onTheirWay += claims.length - others.length;
      holds.set(key, others.length);
      for (const claim of others) stalled.push({ key, claim, ms: claim.stalledMs() });
    }
    const cuttable = stalled.filter(({ ms }) => ms >= stalledMs).sort((a, b) => b.ms - a.ms);
    const waits = new Map([...queue.waiting].map(([key, { length }]) => [key, length]));
    const count = (key: string): number => holds.get(key) ?? 0;
    while (waits.size > 0) {
      const next = [...waits.keys()].reduce((a, b) => (count(b) < count(a) ? b : a));
      if (onTheirWay > 0) onTheirWay -= 1;
      else {
        const index = cuttable.findIndex(({ key }) => count(key) > count(next));
        const [victim] = index < 0 ? [] : cuttable.splice(index, 1);
        if (victim === undefined) return;
        holds.set(victim.key, count(victim.key) - 1);
        cut.add(victim.claim);
        victim.claim.cut();
      }
      holds.set(next, count(next) + 1);
      const left = (waits.get(next) ?? 0) - 1;
      if (left > 0) waits.set(next, left);
      else waits.delete(next);
    }
  }

  return {
    /**
     * @param key the key the request counts for
     * @returns a function that gives up the connection, or the position in the queue; must always be called at the end
     */
    claim(key: string, claim: ConnectionClaim): () => void {
      stopClock ??= clock(tickMs, tick);
      const giveUp = queue.claim(key, claim);
      if (queue.waiting.size > 0) relieving ??= setInterval(relieve, stalledMs / 4).unref();
      return giveUp;
    },
  };
}

export interface Attempt {
  /** The request target for the upstream, byte for byte. */
  path: string;
  /** All headers to send, except `Host` and those that frame the body. */
  headers: HeaderList;
  /** Uses a new connection, because an earlier attempt failed on a kept-alive one. */
  isRetry: boolean;
  /** Called before anything is sent and any of the body is read. */
  onSocket(outgoing: ClientRequest): void;
  onResponse(incoming: IncomingMessage): void;
  /** Called if no response arrived or the connection broke. */
  onError(error: unknown): void;
}

/** The request as the library sees it. It has no headers, so only those that we add are sent, whatever the library does. */
const standIn = (req: IncomingMessage, attempt: Attempt) => ({
  method: req.method ?? 'GET',
  url: attempt.path,
  headers: {},
  httpVersionMajor: 1,
  /** Omits `server`, to which the library would add a listener for each prefix. */
  socket: { writable: true },
  on() {},
  pipe: (outgoing: ClientRequest) => (hasBody(req) ? sendBody(req, outgoing) : outgoing.end()),
  req,
  attempt,
});
type StandIn = ReturnType<typeof standIn> & IncomingMessage;

/** The response as the library sees it: it has ended, so the library does not close it if the upstream fails. */
const ENDED = { on(..._: unknown[]) {}, finished: true, headersSent: true, writableFinished: true } as ServerResponse;

/** Opens a request, pipes its body, and reports its response or failure: all that is used of http-proxy-middleware. */
export function createForwarder({ protocol, host, hostname, port }: URL, connections: number) {
  const agent = upstreamAgent(protocol, connections);
  const options: Options<StandIn, ServerResponse> = {
    // Without its path, which would be joined with the request's path.
    target: { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port },
    changeOrigin: true,
    // Despite its name, this sets the options of `http.request`. The `Link` header of an admin API repeats a long query
    // for each relation.
    ssl: { maxHeaderSize: 65_536 },
    selfHandleResponse: true,
    // Removes the library's own plugins, which log and send errors.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (outgoing, { req, attempt }) => {
          try {
            appendHeaders(outgoing, attempt.headers);
            addFraming(outgoing, req);
            attempt.onSocket(outgoing);
          } catch (error) {
            // An exception in an event handler would end the process.
            outgoing.destroy(error as Error);
          }
        });
        proxy.on('proxyRes', (incoming, { attempt }) => {
          // Node silently drops further lines.
          if (incoming.rawHeaders.length < 2 * 1_000) return attempt.onResponse(incoming);
          incoming.destroy();
          attempt.onError(new UpstreamFailure('nonsense', { cause: new RangeError('too many header lines') }));
        });
        proxy.on('error', (error, req) => req?.attempt.onError(error));
      },
    ],
  };
  const pooled = createProxyMiddleware({ ...options, agent });
  const unpooled = createProxyMiddleware({ ...options, agent: false });

  return {
    dropIdle: () => dropIdle(agent),
    forward(req: IncomingMessage, attempt: Attempt): void {
      // On a reused connection, an unexpected body after a HEAD would be mistaken for the response to the next request.
      const forward = attempt.isRetry || req.method === 'HEAD' ? unpooled : pooled;
      // The callback receives errors that occur before there is a request; the listener above receives all others.
      void forward(standIn(req, attempt) as StandIn, ENDED, attempt.onError);
    },
  };
}

/** Whether a request has a body that is not empty. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** How much of a body may wait: more once it flows, since each turn costs time, but little while an upstream stalls. */
const WAITING_BYTES = { min: 65_536, max: 524_288 };

/**
 * Sends a body at the speed of the upstream, and stops if the request is destroyed or an error responds to it (RFC 9112,
 * section 9.5). Before each write, one turn of the event loop reads what the upstream has sent: if it has responded and
 * closed the connection, a write would fail, and Node would read no further. So all that may be sent is one write.
 */
function sendBody(req: IncomingMessage, outgoing: ClientRequest): void {
  let arrived: Buffer[] = [];
  /** What arrived in the turn before: that turn may have started before the response arrived. */
  let ready: Buffer[] = [];
  let waitingBytes = 0;
  let sentBytes = 0;
  let isScheduled = false;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    // Discards the rest.
    req.resume();
  };
  function onTurn(): void {
    isScheduled = false;
    if (isStopped) return;
    const { socket } = outgoing;
    socket?.cork();
    for (const chunk of ready) {
      outgoing.write(chunk);
      waitingBytes -= chunk.length;
      sentBytes += chunk.length;
    }
    socket?.uncork();
    ready = arrived;
    arrived = [];
    if (ready.length > 0) schedule();
    else if (req.readableEnded) outgoing.end();
    if (outgoing.writableNeedDrain) req.pause();
    else if (waitingBytes === 0) req.resume();
  }
  function schedule(): void {
    if (!isScheduled) setImmediate(onTurn);
    isScheduled = true;
  }
  req.on('data', (chunk: Buffer) => {
    if (isStopped) return;
    arrived.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= Math.min(WAITING_BYTES.max, Math.max(WAITING_BYTES.min, sentBytes / 8))) req.pause();
    schedule();
  });
  req.once('end', schedule);
  outgoing.on('drain', () => req.resume());
  outgoing.once('close', stop);
  outgoing.once('response', ({ statusCode = 0 }) => statusCode >= 400 && stop());
}

/** Frames the body as received: chunked stays chunked, regardless of the method. */
function addFraming(outgoing: ClientRequest, { headers }: IncomingMessage): void {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    outgoing.removeHeader('content-length');
    outgoing.setHeader('Transfer-Encoding', 'chunked');
  } else if (length !== undefined) outgoing.setHeader('Content-Length', length);
}
