import express, { type Express, type IRoute, type RequestHandler, Router } from 'express';
import type { Config, Upstream } from './config/config.ts';
import { adminAccess, proxyAccess, trustProxies } from './gate/access.ts';
import { type Needs, requireCapability, sessionGate } from './gate/require-session.ts';
import { refuseForeignWrites, refuseTraceAndWebSocket } from './gate/same-origin.ts';
import { jsonBody } from './http/bodies.ts';
import { errorHandler, methodNotAllowed, noSuchRoute } from './http/errors.ts';
import { recordMountPath } from './http/request-log.ts';
import { type Log, logThrottle } from './log.ts';
import type { SessionCookies } from './session/session-cookie.ts';
import type { SessionVerifier } from './session/session-verifier.ts';

/** Everything below `path`, behind the session: the capabilities it needs, its router, and the largest body it accepts. */
export type Route = readonly [path: string, needs: Needs, router: RequestHandler, maxKib?: number];

/** What the gate and the routes need; built by `deps.ts`. */
export interface AppDeps {
  log: Log;
  cookies: SessionCookies;
  verify: SessionVerifier;
  /** Whether a key is stored for an upstream. */
  hasKey: (upstream: Upstream) => Promise<boolean>;
  isDatabaseUnavailable: (error: unknown) => boolean;
  proxyTo: (upstream: Upstream) => RequestHandler | RequestHandler[];
  spa: RequestHandler;
  /** Limits concurrent requests behind the session; undefined: unlimited. */
  admission: RequestHandler | undefined;
  /** `health` and `socialConnections` handle GET and HEAD. */
  publicRoutes: { health: RequestHandler; auth: RequestHandler; socialConnections: RequestHandler };
  routes: readonly Route[];
}

/** Handlers of one path, which is matched once for all of them. */
const inOrder = (...handlers: (RequestHandler | RequestHandler[])[]): Router => {
  const router = Router({ caseSensitive: true, mergeParams: true });
  return router.use(...handlers);
};

/**
 * THE GATE (docs/security.md#the-gate). Only Express matches paths, and the order of these lines is the policy. A route
 * that is missing here is closed.
 * @param app an app without routes
 */
export function createApp(config: Config, deps: AppDeps, app: Express = express()): Express {
  const { log, publicRoutes } = deps;
  const gate = sessionGate(deps.verify, deps.cookies);
  const ownWrites = refuseForeignWrites(config.baseUrl);

  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  trustProxies(app, config);

  app.use(gate.guardAmbiguous);

  // 1. Public routes.
  const publicRoute = (path: string): IRoute => app.route(path).all(refuseTraceAndWebSocket, ownWrites);
  const readOnly = methodNotAllowed('GET, HEAD');
  publicRoute('/api/health').get(publicRoutes.health).all(readOnly);
  publicRoute('/api/connections/social').get(publicRoutes.socialConnections).all(readOnly);
  app.use(
    '/api/auth',
    inOrder(recordMountPath('/api/auth'), refuseTraceAndWebSocket, ownWrites, publicRoutes.auth, noSuchRoute),
  );

  const noteForwarding = logThrottle((header: string) =>
    log.warn({ header }, 'an admin prefix was requested through a proxy that TRUST_PROXY does not name'),
  );

  const admin = adminAccess(config);

  // 2. Proxies: the upstream authenticates. They come before any body parser, so that bodies stream.
  for (const upstream of config.upstreams) {
    const access = proxyAccess(upstream, {
      config,
      adminAccess: admin,
      noteForwarding,
      gate,
      hasKey: () => deps.hasKey(upstream),
    });
    app.use(upstream.prefix, inOrder(access, refuseTraceAndWebSocket, deps.proxyTo(upstream)));
  }

  // The app's page and assets hold no data, and the strict cookie is not sent on the redirect after sign-in.
  app.use(deps.spa);

  // 3. Session. 4. Capability. 5. Handlers.
  app.use(gate.requireSession);
  if (deps.admission !== undefined) app.use(deps.admission);
  const body = (maxKib?: number): RequestHandler[] => [ownWrites, refuseTraceAndWebSocket, jsonBody({ maxKib })];
  for (const [path, needs, router, maxKib] of deps.routes)
    app.use(path, inOrder(recordMountPath(path), requireCapability(needs), ...body(maxKib), router));

  app.use(...body(), noSuchRoute);
  app.use(errorHandler(log, deps.isDatabaseUnavailable));
  return app;
}
