import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { type AppDeps, createApp } from '../../server/app.ts';
import type { Config } from '../../server/config/config.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { normaliseTarget } from '../../server/gate/normalise-path.ts';
import { securityHeaders } from '../../server/http/headers.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { createLog } from '../../server/log.ts';
import { sessionCookies } from '../../server/session/session-cookie.ts';
import type { SessionVerdict } from '../../server/session/session-verifier.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { TEST_KEYS } from './dashboard.ts';
import { ADMIN } from './settings-app.ts';

export interface GateApp {
  /** `session` is the role of the caller's session; without one there is none. */
  call(
    path: string,
    options?: { session?: string; method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>;
  /** Log lines so far. */
  logged: string[];
  url: string;
  close(): Promise<void>;
}

/** Answers 200 with its name. */
export const respondWith =
  (name: string): RequestHandler =>
  (_req, res) =>
    void res.json(name);

function verdictOf({ headers }: IncomingMessage): SessionVerdict {
  const role = ROLES.find((known) => headers.cookie === `dashboard-session=${known}`);
  return role === undefined ? 'none' : { ...ADMIN, role };
}

/** What the gate is made of, with handlers that only answer where `deps` gives no other. */
export function gateDeps(
  deps: Partial<AppDeps>,
  env: NodeJS.ProcessEnv = {},
  write: (line: string) => void = () => {},
): [Config, AppDeps] {
  const config = parseConfig({
    ...TEST_KEYS,
    DEPLOYMENT: 'customer',
    BASE_URL: 'http://localhost:3000',
    DATABASE_URL: 'sqlite:unused.sqlite',
    AUTH_URL: 'http://127.0.0.1:1',
    OAUTH_CLIENT_ID: 'dashboard',
    ...env,
  });
  const complete: AppDeps = {
    log: createLog({ level: 'info', production: false }, { write }),
    cookies: sessionCookies({ secure: false, production: false }),
    verify: async (req) => verdictOf(req),
    hasKey: async () => false,
    isDatabaseUnavailable: () => false,
    proxyTo: ({ name }) => respondWith(name),
    spa: (_req, _res, next) => next(),
    admission: undefined,
    publicRoutes: {
      health: respondWith('health'),
      auth: respondWith('auth'),
      socialConnections: respondWith('social'),
    },
    routes: [],
    ...deps,
  };
  return [config, complete];
}

/** The gate with such handlers. */
export async function startGateApp(deps: Partial<AppDeps>, env: NodeJS.ProcessEnv = {}): Promise<GateApp> {
  const logged: string[] = [];
  const [config, complete] = gateDeps(deps, env, (line) => void logged.push(line));
  const server = createHttpServer(createApp(config, complete), {
    normalise: normaliseTarget,
    headers: securityHeaders(config),
    isServed: () => true,
    allowedNetworks: undefined,
    isDraining: () => false,
    log: complete.log,
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    logged,
    url: `http://127.0.0.1:${port}`,
    call: (path, { session, method, headers, body } = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        body,
        headers: { ...headers, ...(session === undefined ? {} : { cookie: `dashboard-session=${session}` }) },
        signal: AbortSignal.timeout(5_000),
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
