import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Express, type Request, type Response, type Router } from 'express';

/** An app without Express' own headers. Handlers read the body as text, regardless of its type. */
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

/** Adds the last handlers of an app: Go's response to unknown routes, and the service's errors. */
export const withEnd = (app: Express, errors: ErrorRequestHandler): Express =>
  app.use((_req, res) => res.status(404).type('text').send('404 page not found\n')).use(errors);

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
  router.get('/version', (_req, res) => res.json({ version: VERSION }));
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
  routes.get('/health/alive', (_req, res) => res.json({ status: 'ok' }));
  routes.get('/health/ready', (_req, res) => {
    if (!ready()) throw unready();
    res.json({ status: 'ok' });
  });
}

/** The limit of Go's servers; Node's own would be too short for a list of 500 ids. */
const HEADERS_MAX_BYTES = 1024 * 1024;
/** How long Ory's servers keep an idle connection. Node's 5 seconds could end in the moment of the next request. */
const KEEP_ALIVE_MS = 120_000;

const notReady: RequestListener = (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end();

/** Opens all of the ports or none, on loopback: the services trust anyone who can reach them. 0 is any free port. */
export async function listenOnAll<Name extends string>(ports: Record<Name, number>) {
  const servers: [Name, Server][] = [];
  const served: Partial<Record<Name, RequestListener>> = {};
  const close = async () => {
    await Promise.all(
      servers.map(async ([, server]) => {
        if (!server.listening) return;
        const closed = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await closed;
      }),
    );
  };
  try {
    for (const [name, port] of Object.entries(ports) as [Name, number][]) {
      const server = createServer({ maxHeaderSize: HEADERS_MAX_BYTES, keepAliveTimeout: KEEP_ALIVE_MS });
      servers.push([name, server]);
      server.on('request', (req, res) => (served[name] ?? notReady)(req, res));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    }
  } catch (error) {
    await close();
    throw error;
  }
  const url = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** The base URL of each, `http://127.0.0.1:<port>`. */
    urls: Object.fromEntries(servers.map(([name, server]) => [name, url(server)])) as Record<Name, string>,
    /** Before, the response to every request is 503. */
    serve: (apps: Partial<Record<Name, RequestListener>>): void => void Object.assign(served, apps),
    close,
  };
}
