import express, { type Express, type RequestHandler, type Router } from 'express';
import type { Config, Upstream } from './config/config.ts';
import { normalisePath } from './gate/normalise-path.ts';
import { proxyAccess } from './gate/proxy-access.ts';
import { refuseTraceAndWebSocket } from './gate/refused-methods.ts';
import { requireAdmin, sessionGate } from './gate/require-session.ts';
import { refuseForeignWrites } from './gate/same-origin.ts';
import { errorHandler, noSuchRoute } from './http/error-handler.ts';
import { inOrder } from './http/in-order.ts';
import { jsonBody } from './http/json-body.ts';
import { requestLog } from './http/request-log.ts';
import { securityHeaders } from './http/security-headers.ts';
import type { Log } from './log.ts';
import type { SessionCookies } from './session/session-cookie.ts';
import type { SessionVerifier } from './session/session-verifier.ts';

/** What stands behind the gate; `deps.ts` builds it. */
export interface AppDeps {
  log: Log;
  cookies: SessionCookies;
  verify: SessionVerifier;
  /** Whether a key is stored for an upstream. */
  hasKey: (upstream: Upstream) => Promise<boolean>;
  isDatabaseUnavailable: (error: unknown) => boolean;
  proxyTo: (upstream: Upstream) => RequestHandler;
  spa: RequestHandler;
  routers: {
    health: Router;
    auth: Router;
    socialConnections: Router;
    settings: Router;
    encrypt: Router;
    config: Router;
    identities: Router;
    dashboardLayout: Router;
  };
}

const ADMIN_ROUTES = ['/api/settings', '/api/encrypt', '/api/config', '/api/security', '/api/identities'];

/**
 * THE GATE. Express matches paths and nothing else does; the order of these lines is the policy (section 5).
 * A route that is forgotten here is closed, not open.
 */
export function createApp(config: Config, deps: AppDeps): Express {
  const { log, routers } = deps;
  const gate = sessionGate(deps.verify, deps.cookies);
  const ownWrites = refuseForeignWrites(config.baseUrl);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);

  app.use(
    inOrder(
      normalisePath,
      requestLog(log),
      securityHeaders({ production: config.production }),
      gate.ambiguousNeedsAdmin,
    ),
  );

  // 1. Public routes.
  app.all('/api/health', refuseTraceAndWebSocket, ownWrites, routers.health);
  app.all('/api/connections/social', refuseTraceAndWebSocket, ownWrites, routers.socialConnections);
  app.use('/api/auth', inOrder(refuseTraceAndWebSocket, ownWrites, routers.auth, noSuchRoute));

  // 2. Proxies: the upstream authenticates. No body parser stands before them, so bodies stream.
  for (const upstream of config.upstreams) {
    const access = proxyAccess(upstream, {
      rule: config.proxyRequireSession,
      ownOrigin: config.baseUrl,
      behindProxies: config.trustProxy !== undefined,
      gate,
      hasKey: () => deps.hasKey(upstream),
    });
    app.use(upstream.prefix, inOrder(access, refuseTraceAndWebSocket, deps.proxyTo(upstream)));
  }

  // The app's shell and assets: they hold no data, and after sign-in the strict cookie does not come with the redirect.
  app.use(deps.spa);

  // 3. Session. 4. Admin. 5. Handlers.
  app.use(gate.requireSession);
  app.use(ADMIN_ROUTES, requireAdmin);
  app.use(inOrder(ownWrites, refuseTraceAndWebSocket, jsonBody()));
  app.use('/api/settings', routers.settings);
  app.use('/api/encrypt', routers.encrypt);
  app.all('/api/config', routers.config);
  app.use('/api/identities', routers.identities);
  app.use('/api/dashboard/layout', routers.dashboardLayout);

  app.use(noSuchRoute);
  app.use(errorHandler(log, deps.isDatabaseUnavailable));
  return app;
}
