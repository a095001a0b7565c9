import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { type Claim, fairQueue } from '../../http/limits.ts';
import { dropIdle, upstreamAgent } from '../agent.ts';
import { UpstreamFailure } from '../failure.ts';
import type { HeaderList } from './headers.ts';

/** A request that needs a connection to an upstream. */
export interface ConnectionClaim extends Claim {
  /** How long its client has kept the connection busy without making progress, in milliseconds. */
  stalledMs(): number;
  /** Aborts the request that holds a connection, soon or immediately, so that others get it. */
  cut(): void;
}

/** Shares the connections to one upstream fairly. */
export interface FairConnections {
  /**
   * @param key the key the request counts for
   * @returns gives up the connection, or the place in the queue; must be called at the end in any case
   */
  claim(key: string, claim: ConnectionClaim): () => void;
}

export interface ShareLimits {
  connections: number;
  waiting: number;
  waitMs: number;
  /** How long a client may stall a request before it may be aborted for others. */
  stalledMs: number;
}

/**
 * A fair queue for connections. For each waiting request, one stalled by its own client is aborted: the longest-stalled
 * of all keys that hold more connections than the waiting key. However many keys an attacker has, its stalled requests
 * are aborted for others, and nobody with no more connections than they have loses any.
 */
export function fairConnections({ connections, waiting, waitMs, stalledMs }: ShareLimits): FairConnections {
  const queue = fairQueue<ConnectionClaim>({ places: connections, waiting, waitMs });
  const cut = new WeakSet<ConnectionClaim>();
  let relieving: NodeJS.Timeout | undefined;

  /** Counts each key as it will be once aborted requests have ended and their connections are reassigned. */
  function relieve(): void {
    if (queue.waiting.size === 0) relieving = void clearInterval(relieving);
    const holds = new Map<string, number>();
    const stalled: { key: string; claim: ConnectionClaim; ms: number }[] = [];
    let onTheirWay = 0;
    for (const [key, claims] of queue.holding) {
      const kept = [...claims].filter((claim) => !cut.has(claim));
      onTheirWay += claims.size - kept.length;
      holds.set(key, kept.length);
      for (const claim of kept) stalled.push({ key, claim, ms: claim.stalledMs() });
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
    claim(key, claim) {
      const giveUp = queue.claim(key, claim);
      if (queue.waiting.size > 0) relieving ??= setInterval(relieve, stalledMs / 4).unref();
      return giveUp;
    },
  };
}

/** One attempt to forward a request, and its callbacks. */
export interface Attempt {
  /** The request target for the upstream, byte for byte. */
  path: string;
  /** All headers to send, except `Host` and those that frame the body. */
  headers: HeaderList;
  /** `chunked` stays chunked, whatever its method; a number is the `Content-Length` as it came. */
  framing: 'chunked' | { length: string } | 'none';
  /** Use a new connection: an earlier attempt failed on a kept-alive one. */
  fresh: boolean;
  /** The outgoing request has its connection; nothing of it has been sent, and nothing of the body has been read. */
  begun(client: ClientRequest): void;
  /** Status and headers have arrived; the body is ready to be read. */
  answered(answer: IncomingMessage): void;
  /** No response arrived, or the connection broke. */
  failed(error: unknown): void;
}

export interface Forwarder {
  forward(req: IncomingMessage, attempt: Attempt): void;
  dropIdle(): void;
}

/** Limit of a response's headers: the `Link` of an admin API repeats a long query once per relation. */
const HEADER_BYTES = 65_536;
/** Node drops further lines without a word. */
const HEADER_LINES = 1_000;

/**
 * What http-proxy-middleware sees of a request: its method and the path for the upstream, none of its headers. So what is
 * not added in `complete` cannot leave, whatever the library does.
 */
class StandIn {
  readonly headers = {};
  readonly httpVersionMajor = 1;
  /** Without a server, on which the library would listen once per prefix. */
  readonly socket = { writable: true };
  readonly method: string;
  readonly url: string;
  readonly attempt: Attempt;
  readonly #body: IncomingMessage;

  constructor(req: IncomingMessage, attempt: Attempt) {
    this.method = req.method ?? 'GET';
    this.url = attempt.path;
    this.attempt = attempt;
    this.#body = req;
  }

  on(): this {
    return this;
  }

  pipe(client: ClientRequest): void {
    if (this.attempt.framing === 'none') client.end();
    else this.#body.pipe(client);
  }
}

/** The caller's response, to the library: it has ended, so that a broken upstream does not close it; we may still respond. */
const ENDED = { on: () => ENDED, finished: true, headersSent: true, writableFinished: true };

/**
 * Opens a request, pipes its body, reports its response or failure: http-proxy-middleware with everything else left out.
 * @param connections maximum number of connections at once
 */
export function createForwarder(target: URL, connections: number): Forwarder {
  const agent = upstreamAgent(target.protocol, connections);
  const options: Options<StandIn & IncomingMessage, ServerResponse> = {
    // Parsed once, and without a path, which would be joined with that of the request.
    target: {
      protocol: target.protocol,
      host: target.host,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
    },
    changeOrigin: true,
    // The options of `http.request`, despite its name.
    ssl: { maxHeaderSize: HEADER_BYTES },
    selfHandleResponse: true,
    // Its own plugins log, and send errors.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('proxyReq', (client, { attempt }) => {
          try {
            complete(client, attempt);
            attempt.begun(client);
          } catch (error) {
            // Thrown in an event, it would end the process.
            client.destroy(error as Error);
          }
        });
        proxy.on('proxyRes', (answer, { attempt }) => {
          if (answer.rawHeaders.length < 2 * HEADER_LINES) return attempt.answered(answer);
          answer.destroy();
          attempt.failed(new UpstreamFailure('nonsense', { cause: new RangeError('too many header lines') }));
        });
        proxy.on('error', (error, req) => (req as StandIn & IncomingMessage).attempt.failed(error));
      },
    ],
  };
  const pooled = createProxyMiddleware({ ...options, agent });
  const unpooled = createProxyMiddleware({ ...options, agent: false });

  return {
    dropIdle: () => dropIdle(agent),
    forward(req, attempt) {
      // A late body after a HEAD would be taken for the response to the next request on its connection.
      const forward = attempt.fresh || req.method === 'HEAD' ? unpooled : pooled;
      const standIn = new StandIn(req, attempt) as unknown as StandIn & IncomingMessage;
      // The callback has what fails before there is a request; the listener above has the rest.
      void forward(standIn, ENDED as unknown as ServerResponse, (error) => attempt.failed(error));
    },
  };
}

/** Adds the headers and the framing of the body. */
function complete(client: ClientRequest, { headers, framing }: Attempt): void {
  for (let index = 0; index < headers.length; index += 2)
    client.appendHeader(headers[index] as string, headers[index + 1] as string);
  if (framing === 'chunked') {
    client.removeHeader('content-length');
    client.setHeader('Transfer-Encoding', 'chunked');
  } else if (framing !== 'none') client.setHeader('Content-Length', framing.length);
}
