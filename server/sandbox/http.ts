import { timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseQuery } from './go.ts';

/** The real server panics here: it breaks the connection without a response. */
export class ServerPanic extends Error {}

/** A route's response; `body` is JSON unless it is a string. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string;
}

type Headers = Record<string, string | string[]>;

export const json = (status: number, value: unknown, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

export const text = (status: number, body: string, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
});

export const html = (status: number, body: string, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
  body,
});

export const empty = (status: number, headers: Headers = {}): Answer => ({ status, headers });

/** The response of Go's router for an unknown path. */
export const pageNotFound = (): Answer => text(404, '404 page not found\n');

export interface Call {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** The query as sent, without `?`. */
  search: string;
  query: URLSearchParams;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
  /** `address:port` of the socket, IPv6 in brackets, in Go's notation. */
  peer: string;
}

const BODY_MAX_BYTES = 5 * 1024 * 1024;

/** The body exceeds the services' limit. */
export class BodyTooLarge extends Error {}

/** Reads a whole request. @throws BodyTooLarge above 5 MiB */
export async function readCall(req: IncomingMessage): Promise<Call> {
  const target = req.url ?? '/';
  const mark = target.indexOf('?');
  const search = mark < 0 ? '' : target.slice(mark + 1);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  if (length > BODY_MAX_BYTES) throw new BodyTooLarge('http: request body too large');
  const { remoteAddress = '', remotePort = 0 } = req.socket;
  return {
    method: req.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    search,
    query: parseQuery(search),
    params: {},
    headers: req.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    peer: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
  };
}

/**
 * Turns a function from call to answer into a request handler. A `ServerPanic` breaks the connection.
 * @param failed the response to any other error, and to a body that is too large
 */
export function respondWith(
  answer: Handler,
  failed: (error: unknown, requestId: string | undefined) => Answer,
): RequestListener {
  const answered = async (req: IncomingMessage): Promise<Answer> => {
    try {
      return await answer(await readCall(req));
    } catch (error) {
      if (error instanceof ServerPanic) throw error;
      return failed(error, [req.headers['x-request-id'] ?? []].flat()[0]);
    }
  };
  return (req, res) => {
    answered(req)
      .then((result) => write(res, result, req.method ?? 'GET'))
      .catch(() => res.destroy());
  };
}

/** Go's servers forbid caching of all responses to GET. */
function write(res: ServerResponse, { status, headers, body = '' }: Answer, method: string): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (method === 'GET') res.setHeader('Cache-Control', 'private, no-cache, no-store, must-revalidate');
  res.statusCode = status;
  if (status !== 204) res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(method === 'HEAD' ? undefined : body);
}

export type Handler = (call: Call) => Answer | Promise<Answer>;

/** In `pattern`, `:name` segments become `call.params`; a final `*` matches everything below. */
export interface Route {
  /** `*` matches any. */
  method: string;
  pattern: string;
  handle: Handler;
}

export const route = (method: string, pattern: string, handle: Handler): Route => ({ method, pattern, handle });

/** Finds the handler of a call; unknown routes get the responses of Go's router: 404, or 405 with `Allow`. */
export function routerOf(routes: readonly Route[]): Handler {
  const compiled = routes.map((entry) => ({ ...entry, expression: expressionOf(entry.pattern) }));
  return (call) => {
    const cleaned = cleanPath(call.path);
    if (cleaned !== call.path) return call.path.startsWith('//') ? pageNotFound() : redirect(call, cleaned);
    const methods = new Set<string>();
    for (const { method, expression, handle } of compiled) {
      const match = expression.exec(call.path);
      if (match === null) continue;
      if (method === '*' || method === call.method || (method === 'GET' && call.method === 'HEAD'))
        return handle({ ...call, params: decoded(match.groups) });
      methods.add(method);
      if (method === 'GET') methods.add('HEAD');
    }
    if (methods.size === 0) return pageNotFound();
    return text(405, 'Method Not Allowed\n', { Allow: [...methods].sort().join(', ') });
  };
}

/** A 307 as Go writes it: with a body for GET and HEAD only. */
export function redirect({ method, search }: Call, target: string): Answer {
  const location = search === '' ? target : `${target}?${search}`;
  if (method !== 'GET' && method !== 'HEAD') return { status: 307, headers: { Location: location } };
  return html(307, `<a href="${location.replaceAll('&', '&amp;')}">Temporary Redirect</a>.\n\n`, {
    Location: location,
  });
}

const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replaceAll('.', '\\.')
      .replace(/\*$/, '.*')
      .replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`,
  );

/** Merges slashes and removes dot segments; keeps a trailing slash. */
function cleanPath(path: string): string {
  if (!/\/\/|\/\.\.?(\/|$)/.test(path)) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return `/${kept.join('/')}${path.endsWith('/') && kept.length > 0 ? '/' : ''}`;
}

function decoded(groups: Record<string, string> | undefined): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(groups ?? {})) {
    try {
      params[name] = decodeURIComponent(value);
    } catch {
      params[name] = value;
    }
  }
  return params;
}

/** The limit of Go's servers. */
const HEADERS_MAX_BYTES = 1024 * 1024;

interface Listener {
  url: string;
  serve(handler: RequestListener): void;
  close(): Promise<void>;
}

/** Listens on loopback only: the services behind these ports trust anyone who can reach them. */
async function listen(port: number): Promise<Listener> {
  let handler: RequestListener = (_req, res) => res.writeHead(503).end();
  const server = createServer({ maxHeaderSize: HEADERS_MAX_BYTES }, (req, res) => handler(req, res));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (next) => {
      handler = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface Listeners<Name extends string> {
  /** The base URL of each, `http://127.0.0.1:<port>`. */
  urls: Record<Name, string>;
  /** Sets the request handlers; before, requests get 503. */
  serve(handlers: Record<Name, RequestListener>): void;
  close(): Promise<void>;
}

/** Opens all of the ports or none. 0 is any free port. */
export async function listenOnAll<Name extends string>(ports: Record<Name, number>): Promise<Listeners<Name>> {
  const open = new Map<Name, Listener>();
  const close = async () => {
    await Promise.all([...open.values()].map((listener) => listener.close()));
  };
  try {
    for (const [name, port] of Object.entries(ports) as [Name, number][]) open.set(name, await listen(port));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: Object.fromEntries([...open].map(([name, { url }]) => [name, url])) as Record<Name, string>,
    serve: (handlers) => {
      for (const [name, listener] of open) listener.serve(handlers[name]);
    },
    close,
  };
}

/**
 * An admin port: every route is below `/admin`, which callers may omit.
 * @param apiKey the required bearer key; undefined: none. Health is public in any case.
 */
export function adminPort(routes: readonly Route[], apiKey: string | undefined, refuse: () => never): Handler {
  const answer = routerOf(routes);
  return (call) => {
    const path = /^\/admin(\/|$)/.test(call.path) ? call.path : `/admin${call.path}`;
    if (apiKey !== undefined && !path.startsWith('/admin/health/') && !hasKey(call, apiKey)) refuse();
    return answer({ ...call, path: call.path.startsWith('//') ? call.path : path });
  };
}

function hasKey({ headers }: Call, apiKey: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${apiKey}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The release that the sandbox imitates. */
const VERSION = 'v26.2.0';

/**
 * @param prefix `/admin` on an admin port, where callers may omit it, else empty
 * @param ready if false, readiness fails
 * @param unready the service's error in that case
 */
export const healthRoutes = (prefix: string, ready: () => boolean, unready: () => Error): Route[] => [
  route('GET', `${prefix}/health/alive`, () => json(200, { status: 'ok' })),
  route('GET', `${prefix}/health/ready`, () => {
    if (!ready()) throw unready();
    return json(200, { status: 'ok' });
  }),
];

export const versionRoutes = (): Route[] => [
  route('GET', '/admin/version', () => json(200, { version: VERSION })),
  route('GET', '/admin/metrics/prometheus', () =>
    text(200, '# HELP up Whether the service is up.\n# TYPE up gauge\nup 1\n', {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    }),
  ),
];
