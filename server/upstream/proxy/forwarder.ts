import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** One attempt to forward a request, and its callbacks. */
export interface Attempt {
  /** The request target for the upstream, byte for byte. */
  path: string;
  /** All headers to send, except `Host`. */
  headers: Record<string, string | string[]>;
  /** The request was chunked and must stay chunked, whatever its method. */
  chunked: boolean;
  /** Use a new connection: an earlier attempt failed on a kept-alive one. */
  fresh: boolean;
  /** The outgoing request exists; nothing of it has been sent, and nothing of the body has been read. */
  begun(client: ClientRequest): void;
  /** Status and headers have arrived; the body is ready to be read. */
  answered(answer: IncomingMessage): void;
  /** No response arrived, or the connection broke. May be called more than once. */
  failed(error: unknown): void;
}

export interface Forwarder {
  forward(req: IncomingMessage, res: ServerResponse, attempt: Attempt): void;
  /** Closes idle connections: if one is stale, the others probably are, too. */
  dropIdle(): void;
}

/** Maximum concurrent connections per upstream. */
export const CONNECTIONS = 128;
/** Shorter than the upstream's idle timeout. */
const POOL = { keepAlive: true, maxSockets: CONNECTIONS, timeout: 4000 };
/** Limit of a response's headers: the `Link` of an admin API repeats a long query once per relation. */
const ANSWER_HEADER_BYTES = 65_536;

interface Running {
  req: IncomingMessage;
  attempt: Attempt;
  /** The original values, for whatever reads the request after the library. */
  url: string | undefined;
  headers: IncomingMessage['headers'];
}

/** A property of the request itself: entries of a WeakMap would outlive it until the next full garbage collection. */
const RUNNING = Symbol('running');
type Carrier = IncomingMessage & { [RUNNING]?: Running };

function restore({ req, url, headers }: Running): void {
  req.url = url;
  req.headers = headers;
}

interface AgentContract {
  /** Called by Node for every request; part of the contract of all agents, but missing from the types. */
  addRequest(client: ClientRequest, options: object): void;
}

/**
 * http-proxy-middleware, reduced to what it does well: opening the request, piping the body, reporting the response. It
 * would rewrite the path (`/x/http:/y`), unframe a chunked `DELETE` and miss clients that disconnect, so the outgoing
 * request is corrected where every one passes: in the agent, before a socket is assigned.
 */
export function createForwarder(target: URL): Forwarder {
  // Set and used within one synchronous call of the library: its `start` event, then its `http.request`.
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
      // None is silently dropped: their total size is limited instead.
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
    // Parsed once: a string would be parsed for every request.
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
      // The library sees neither the path nor the client's headers, since it would modify both.
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
