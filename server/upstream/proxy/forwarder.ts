import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Stream } from 'node:stream';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import { type AddRequest, connectionPool } from './connection-pool.ts';
import type { HeaderList } from './forwarded-headers.ts';

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

/**
 * http-proxy-middleware, reduced to what it does well: opening the request, piping the body, reporting the response. It
 * would rewrite the path (`/x/http:/y`), unframe a chunked `DELETE` and miss clients that disconnect, so the outgoing
 * request is corrected where every one passes: in the agent, before a socket is assigned.
 * @param connections maximum number of connections at once
 */
export function createForwarder(target: URL, connections: number): Forwarder {
  // Set and used within one synchronous call of the library: its `start` event, then its `http.request`.
  let starting: Running | undefined;

  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const freshly = new Agent() as HttpAgent & AddRequest;
  const { agent, dropIdle } = connectionPool(target.protocol, connections);
  const pooled = agent.addRequest;
  agent.addRequest = (client, options) => {
    let fresh = false;
    if (starting !== undefined) {
      const { attempt } = starting;
      restore(starting);
      starting = undefined;
      ({ fresh } = attempt);
      correct(client, attempt);
      attempt.begun(client);
    }
    if (fresh) freshly.addRequest(client, options);
    else pooled(client, options);
  };

  const options: Options<IncomingMessage, ServerResponse> = {
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
  };
  const withBody = createProxyMiddleware(options);
  const withoutBody = createProxyMiddleware({ ...options, buffer: NO_BODY });

  return {
    dropIdle,
    forward(req, res, attempt) {
      const original: Running = { req, attempt, url: req.url, headers: req.headers };
      (req as Carrier)[RUNNING] = original;
      // The library sees neither the path nor the client's headers, since it would modify both.
      req.url = '/';
      req.headers = {};
      const forward = attempt.framing === 'none' ? withoutBody : withBody;
      void forward(req, res, (error?: unknown) => {
        restore(original);
        attempt.failed(error ?? new Error('not forwarded'));
      });
    },
  };
}

/** For http-proxy's option `buffer`, the source of the body: a pipe from the request would cost several listeners. */
const NO_BODY = { pipe: (client: ClientRequest) => client.end() } as unknown as Stream;

/** Path, headers and framing as they are to be sent. */
function correct(client: ClientRequest, { path, headers, framing }: Attempt): void {
  client.path = path;
  // None is silently dropped: their total size is limited instead.
  client.maxHeadersCount = 0;
  (client as unknown as { maxHeaderSize: number }).maxHeaderSize = ANSWER_HEADER_BYTES;
  for (let index = 0; index < headers.length; index += 2)
    client.appendHeader(headers[index] as string, headers[index + 1] as string);
  if (framing === 'chunked') {
    client.removeHeader('content-length');
    client.setHeader('Transfer-Encoding', 'chunked');
  } else if (framing !== 'none') client.setHeader('Content-Length', framing.length);
}
