import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** One attempt to pass a request on, and what becomes of it. */
export interface Attempt {
  /** The request target for the upstream, byte for byte. */
  path: string;
  /** Every header that leaves, `Host` excepted. */
  headers: Record<string, string | string[]>;
  /** The request came chunked: it leaves chunked, whatever its method. */
  chunked: boolean;
  /** Not on a connection that was kept alive: for a request that died on one. */
  fresh: boolean;
  /** The outgoing request exists; not a byte of it has left, nor has a byte of the body been read. */
  begun(client: ClientRequest): void;
  /** The upstream's status and headers are here; its body waits to be read. */
  answered(answer: IncomingMessage): void;
  /** No answer came, or the connection broke. May come more than once. */
  failed(error: unknown): void;
}

export interface Forwarder {
  forward(req: IncomingMessage, res: ServerResponse, attempt: Attempt): void;
  /** Closes the connections that wait for reuse: one that turns out stale has stale neighbours. */
  dropIdle(): void;
}

/** Connections to one upstream at the same time. */
export const CONNECTIONS = 128;
/** Idle ones close before the upstream closes them. */
const POOL = { keepAlive: true, maxSockets: CONNECTIONS, timeout: 4000 };
/** Of an answer's headers together: the `Link` of an admin API repeats a long query once for each relation. */
const ANSWER_HEADER_BYTES = 65_536;

interface Running {
  req: IncomingMessage;
  attempt: Attempt;
  /** What the caller sent, for whoever reads the request after the library. */
  url: string | undefined;
  headers: IncomingMessage['headers'];
}

/** On the request itself: a WeakMap's entries would outlive it until the next full collection. */
const RUNNING = Symbol('running');
type Carrier = IncomingMessage & { [RUNNING]?: Running };

function restore({ req, url, headers }: Running): void {
  req.url = url;
  req.headers = headers;
}

interface AgentContract {
  /** What Node calls for every request in its constructor: the contract of all agents, though absent from the types. */
  addRequest(client: ClientRequest, options: object): void;
}

/**
 * http-proxy-middleware, reduced to what it does well: open the request, pipe the body, report the answer. It would
 * rewrite the path (`/x/http:/y`), unframe a chunked `DELETE` and lose clients that leave, so the outgoing request is
 * corrected at the one place none can skip: where the agent receives it, before a socket is assigned.
 */
export function createForwarder(target: URL): Forwarder {
  // Set and taken within one synchronous call of the library: its `start` event, then its `http.request`.
  let starting: Running | undefined;

  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent(POOL);
  const freshly = new Agent() as unknown as AgentContract;
  const contract = agent as unknown as AgentContract;
  const pooled = contract.addRequest.bind(agent);
  contract.addRequest = (client, options) => {
    let fresh = false;
    if (starting !== undefined) {
      const { attempt } = starting;
      restore(starting);
      starting = undefined;
      ({ fresh } = attempt);
      client.path = attempt.path;
      // None is dropped in silence: their size is bounded.
      client.maxHeadersCount = 0;
      (client as unknown as { maxHeaderSize: number }).maxHeaderSize = ANSWER_HEADER_BYTES;
      if (attempt.chunked) {
        client.removeHeader('content-length');
        client.setHeader('Transfer-Encoding', 'chunked');
      }
      attempt.begun(client);
    }
    if (fresh) freshly.addRequest(client, options);
    else pooled(client, options);
  };

  const middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
    // Parsed once: a string would be parsed on every request.
    target: {
      protocol: target.protocol,
      host: target.host,
      hostname: target.hostname.replace(/^\[|\]$/g, ''),
      port: target.port,
    },
    agent,
    toProxy: true,
    selfHandleResponse: true,
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on('start', (req) => {
          starting = (req as Carrier)[RUNNING];
        });
        proxy.on('proxyRes', (answer, req) => (req as Carrier)[RUNNING]?.attempt.answered(answer));
        proxy.on('error', (error, req) => (req as Carrier)[RUNNING]?.attempt.failed(error));
        proxy.on('econnreset', (error, req) => (req as Carrier)[RUNNING]?.attempt.failed(error));
      },
    ],
  });

  return {
    forward(req, res, attempt) {
      const original: Running = { req, attempt, url: req.url, headers: req.headers };
      (req as Carrier)[RUNNING] = original;
      // The library sees neither the path nor the caller's headers: it has opinions on both.
      req.url = '/';
      req.headers = attempt.headers as IncomingMessage['headers'];
      void middleware(req, res, (error?: unknown) => {
        restore(original);
        attempt.failed(error ?? new Error('not forwarded'));
      });
    },
    dropIdle() {
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
    },
  };
}
