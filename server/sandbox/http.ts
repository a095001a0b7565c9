import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Request, type Response, type Router } from 'express';

/** An app that sends what its services send, and no more; handlers read the body as text, whatever its type. */
export function serviceApp(): Express {
  const app = express();
  app.disable('etag').disable('x-powered-by').enable('strict routing').enable('case sensitive routing');
  app.use(express.text({ type: () => true, limit: '5mb' }));
  app.use((req, res, next) => {
    // Go's servers forbid caching of all responses to GET.
    if (req.method === 'GET') res.set('Cache-Control', 'private, no-cache, no-store, must-revalidate');
    next();
  });
  return app;
}

/** What every app ends with: Go's response to unknown routes, and the service's errors. */
export const withEnd = (app: Express, errors: ErrorRequestHandler): Express =>
  app.use((_req, res) => void res.status(404).type('text').send('404 page not found\n')).use(errors);

/** The body as text; empty if there is none. */
export const bodyOf = ({ body }: Pick<Request, 'body'>): string => (typeof body === 'string' ? body : '');

export const queryOf = ({ url }: Pick<Request, 'url'>): URLSearchParams =>
  new URL(url, 'http://sandbox.invalid').searchParams;

/** The fields of a form; none if the body is not a form. The first of several with the same name counts. */
export const formOf = (req: Pick<Request, 'body' | 'is'>): URLSearchParams =>
  new URLSearchParams(req.is('application/x-www-form-urlencoded') ? bodyOf(req) : '');

/** Sends JSON with exactly this content type, which Express would complete. */
export function sendJson(res: Response, status: number, contentType: string, value: unknown): void {
  res.statusCode = status;
  res.setHeader('Content-Type', contentType);
  res.end(JSON.stringify(value));
}

/** The release that the sandbox imitates. */
const VERSION = 'v26.2.0';

/** For the routes of an admin port. */
export const adminRouter = (): Router => express.Router({ strict: true, caseSensitive: true });

/**
 * An admin port: every route is below `/admin`, which callers may omit.
 * @param apiKey the required bearer key; undefined: none. Health is public in any case.
 */
export function adminApp(
  router: Router,
  apiKey: string | undefined,
  unauthorized: () => Error,
  errors: ErrorRequestHandler,
): Express {
  router.get('/version', (_req, res) => void res.json({ version: VERSION }));
  const app = serviceApp();
  app.use((req, _res, next) => {
    const isHealth = /^(?:\/admin)?\/health\//.test(req.path);
    if (apiKey !== undefined && !isHealth && req.get('Authorization') !== `Bearer ${apiKey}`) throw unauthorized();
    next();
  });
  return withEnd(app.use('/admin', router).use(router), errors);
}

/**
 * @param ready if false, readiness fails
 * @param unready the service's error in that case
 */
export function addHealth(routes: Router, ready: () => boolean, unready: () => Error): void {
  routes.get('/health/alive', (_req, res) => void res.json({ status: 'ok' }));
  routes.get('/health/ready', (_req, res) => {
    if (!ready()) throw unready();
    res.json({ status: 'ok' });
  });
}

export interface Listeners<Name extends string> {
  /** The base URL of each, `http://127.0.0.1:<port>`. */
  urls: Record<Name, string>;
  serve(apps: Record<Name, Express>): void;
  close(): Promise<void>;
}

/** Opens all of the ports or none, on loopback: the services trust anyone who can reach them. 0 is any free port. */
export async function listenOnAll<Name extends string>(ports: Record<Name, number>): Promise<Listeners<Name>> {
  const servers: [Name, Server][] = [];
  const close = async () => {
    await Promise.all(
      servers.map(([, server]) => {
        server.close();
        server.closeAllConnections();
        return server.listening ? once(server, 'close') : undefined;
      }),
    );
  };
  try {
    for (const [name, port] of Object.entries(ports) as [Name, number][]) {
      const server = createServer();
      servers.push([name, server]);
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    }
  } catch (error) {
    await close();
    throw error;
  }
  const url = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: Object.fromEntries(servers.map(([name, server]) => [name, url(server)])) as Record<Name, string>,
    serve: (apps) => {
      for (const [name, server] of servers) server.on('request', apps[name]);
    },
    close,
  };
}

/** A body that is not the expected JSON. */
export class JsonError extends Error {}

/** @throws JsonError */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError(text.trim() === '' ? 'EOF' : 'unexpected EOF');
  }
}

/** The error of Go's decoder for a value of the wrong type. */
export const wrongType = (value: unknown, target: string): JsonError =>
  new JsonError(`json: cannot unmarshal ${typeName(value)} into Go ${target}`);

/** The name of a value's type in Go's messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeName(value) === 'object';

export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

/** The services' message for an invalid UUID. */
export const uuidProblem = (text: string): string =>
  text.length === 36
    ? `uuid: incorrect UUID format in string "${text}"`
    : `uuid: incorrect UUID length ${Buffer.byteLength(text)} in string "${text}"`;

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  if (!/^-?(?:[0-9]+(?:\.[0-9]*)?(?:ms|s|m|h))+$/.test(text)) return text === '0' ? 0 : undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([0-9.]+)([a-z]+)/g)) total += Number(amount) * (UNITS[unit] ?? 0);
  return text.startsWith('-') ? -total : total;
}

/** Go's notation: `1h30m0s`, `30m0s`, `1m30s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const seconds = Math.abs(milliseconds) / 1000;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${seconds % 60}s`];
  return sign + parts.join('');
}
