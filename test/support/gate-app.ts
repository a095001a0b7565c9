import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { type AppDeps, createApp } from '../../server/app.ts';
import type { Config } from '../../server/config/config.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { securityHeaders } from '../../server/http/headers.ts';
import { createLog } from '../../server/log.ts';
import { sessionCookies } from '../../server/session/session-cookie.ts';
import type { SessionVerdict } from '../../server/session/session-verifier.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { httpServerOf, TEST_KEYS } from './context.ts';
import { listenOnLoopback } from './loopback.ts';
import { ADMIN } from './settings-app.ts';

/** A handler that responds 200 with this name. */
export const respondWithName =
  (name: string): RequestHandler =>
  (_req, res) =>
    void res.json(name);

/** The verdict on a caller whose session cookie contains nothing but a role. */
function verdictOf({ headers }: IncomingMessage): SessionVerdict {
  const role = ROLES.find((name) => headers.cookie === `dashboard-session=${name}`);
  return role === undefined ? 'none' : { ...ADMIN, role };
}

/** The dependencies of the gate. @param deps replace the default handlers, which respond with their names */
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
    proxyTo: ({ name }) => respondWithName(name),
    spa: (_req, _res, next) => next(),
    admission: undefined,
    publicRoutes: {
      health: respondWithName('health'),
      auth: respondWithName('auth'),
      socialConnections: respondWithName('social'),
    },
    routes: [],
    ...deps,
  };
  return [config, complete];
}

export type GateApp = Awaited<ReturnType<typeof startGateApp>>;

/** Starts the gate with the dependencies that `gateDeps` makes. */
export async function startGateApp(deps: Partial<AppDeps>, env: NodeJS.ProcessEnv = {}) {
  const logged: string[] = [];
  const [config, complete] = gateDeps(deps, env, (line) => void logged.push(line));
  const { log } = complete;
  const server = httpServerOf(createApp(config, complete), { headers: securityHeaders(config), log });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    /** Log lines so far. */
    logged,
    /** @param options.session role of the caller's session; without it there is no session */
    call: (
      path: string,
      options: { session?: string; method?: string; headers?: Record<string, string>; body?: string } = {},
    ): Promise<Response> => {
      const { session, headers, ...init } = options;
      const cookie: Record<string, string> = session === undefined ? {} : { cookie: `dashboard-session=${session}` };
      return fetch(url + path, { ...init, headers: { ...headers, ...cookie } });
    },
    close,
  };
}
