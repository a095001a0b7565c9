import type { RequestListener } from 'node:http';
import type { Deployment } from '../../shared/deployment.ts';
import { pageNotFound } from './http/answer.ts';
import { type Listener, listenOnLoopback } from './http/listener.ts';
import { respondWith } from './http/respond.ts';
import { adminService } from './identity-service/admin-service.ts';
import { identityErrorAnswer } from './identity-service/identity-errors.ts';
import { identityStore } from './identity-service/identity-store.ts';
import { passwordSignIn } from './identity-service/password-sign-in.ts';
import { sessionStore } from './identity-service/session-store.ts';
import { installationOf } from './installation.ts';
import { openidAdapter } from './openid-adapter.ts';
import { createOpenidProvider } from './openid-provider.ts';
import { OPERATORS, type Operator, operatorIdentities } from './operators.ts';
import { STYLESHEET_PATH } from './pages/page.ts';
import { startAgainPage } from './pages/sign-in-page.ts';
import { stylesheet } from './pages/stylesheet.ts';
import { openSandboxDatabase, sandboxFile } from './sandbox-database.ts';
import { signInHandler } from './sign-in.ts';
import { OPERATOR_SCHEMA_ID, type Ports, WORLDS } from './worlds.ts';

export { resetSandbox, sandboxFile } from './sandbox-database.ts';

export interface SandboxOptions {
  deployment: Deployment;
  /** Where `sandbox-<deployment>.sqlite` is kept. */
  dataDirectory: string;
  /** The dashboard's public origin; operators return to its `/api/auth/callback`. */
  dashboardUrl: string;
  /** True refuses to start: nothing here is fit to guard anything. */
  production: boolean;
  /** 0 takes any free port. Default: 4433, 4434, 4444, 4445, and 1000 more for the workforce. */
  ports?: Ports;
  /** How many identities a new sandbox is filled with. */
  people?: number;
  seed?: number;
  /** Bearer keys that the admin ports then require. */
  apiKeys?: { identityAdmin?: string; oauthAdmin?: string };
  accessTokenTtlSeconds?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export interface Sandbox {
  /** What the service needs to use this sandbox. */
  environment: Record<string, string>;
  operators: readonly Operator[];
  close(): Promise<void>;
}

const CLIENT_ID = 'dashboard';

/** Starts a deployment's identity service and OAuth 2.0 server on loopback. @throws in production, or when a port is taken */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  if (options.production)
    throw new Error('The sandbox does not start in production: set AUTH_URL to a real OAuth 2.0 server.');
  const { deployment, dashboardUrl, now = Date.now, ports = WORLDS[deployment].ports } = options;
  const database = openSandboxDatabase(sandboxFile(options.dataDirectory, deployment));
  const listeners = await listenOnAll(ports).catch((error: unknown) => {
    database.close();
    throw error;
  });
  const { identityPublic, identityAdmin, oauthPublic, oauthAdmin } = listeners;

  const identities = identityStore(database);
  const sessions = sessionStore(database);
  const installation = installationOf(database);
  if (database.prepare('SELECT 1 FROM installation WHERE name = ?').get('seeded') === undefined) {
    for (const identity of await operatorIdentities(new Date(now()).toISOString())) identities.insert(identity);
    database.prepare('INSERT INTO installation (name, value) VALUES (?, ?)').run('seeded', '1');
  }

  const admin = adminService({ identities, publicUrl: identityPublic.url });
  identityAdmin.serve(respondWith(async (call) => admin(call), identityErrorAnswer));
  identityPublic.serve(respondWith(async () => pageNotFound(), identityErrorAnswer));
  oauthAdmin.serve(respondWith(async () => pageNotFound(), identityErrorAnswer));

  const loginUrl = `${dashboardUrl}/api/auth/login`;
  const clients = new Map([[CLIENT_ID, dashboardClient(dashboardUrl)]]);
  const provider = await createOpenidProvider({
    issuer: oauthPublic.url,
    installation,
    adapter: openidAdapter(database, (id) => clients.get(id), now),
    identities,
    accessTokenTtlSeconds: options.accessTokenTtlSeconds ?? 3600,
    errorPage: (problem) => startAgainPage(deployment, loginUrl, problem),
  });
  const signIn = passwordSignIn(identities, sessions, now);
  const hints = OPERATORS.map(({ email }) => email);
  const showSignIn = signInHandler({ deployment, provider, signIn, loginUrl, hints });
  const answerProvider = provider.callback();
  const sheet = stylesheet(deployment);
  const answer: RequestListener = (req, res) => {
    const path = (req.url ?? '/').split('?')[0] ?? '/';
    if (path === STYLESHEET_PATH) {
      res.writeHead(200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'no-cache' }).end(sheet);
      return;
    }
    if (path.startsWith('/login/')) {
      showSignIn(req, res).catch(() => res.destroy());
      return;
    }
    // Where Hydra serves userinfo.
    if (path === '/userinfo') req.url = `/oauth2${req.url}`;
    answerProvider(req, res);
  };
  oauthPublic.serve(answer);

  const identityUrls = { IDENTITY_URL: identityPublic.url, IDENTITY_ADMIN_URL: identityAdmin.url };
  return {
    environment: {
      AUTH_URL: oauthPublic.url,
      AUTH_INTERNAL_URL: oauthPublic.url,
      OAUTH_CLIENT_ID: CLIENT_ID,
      OPERATOR_SCHEMA_IDS: OPERATOR_SCHEMA_ID,
      OAUTH_URL: oauthPublic.url,
      OAUTH_ADMIN_URL: oauthAdmin.url,
      ...(deployment === 'customer'
        ? identityUrls
        : { IAM_IDENTITY_URL: identityPublic.url, IAM_IDENTITY_ADMIN_URL: identityAdmin.url }),
    },
    operators: OPERATORS.map(({ email, password, role }) => ({ email, password, role })),
    close: async () => {
      await Promise.all(Object.values(listeners).map((listener) => listener.close()));
      database.close();
    },
  };
}

const dashboardClient = (dashboardUrl: string) => ({
  client_id: CLIENT_ID,
  application_type: 'web' as const,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code'],
  response_types: ['code' as const],
  redirect_uris: [`${dashboardUrl}/api/auth/callback`],
  scope: 'openid profile email',
});

async function listenOnAll(ports: Ports): Promise<Record<keyof Ports, Listener>> {
  const open: Listener[] = [];
  const listen = async (port: number) => {
    const listener = await listenOnLoopback(port);
    open.push(listener);
    return listener;
  };
  try {
    return {
      identityPublic: await listen(ports.identityPublic),
      identityAdmin: await listen(ports.identityAdmin),
      oauthPublic: await listen(ports.oauthPublic),
      oauthAdmin: await listen(ports.oauthAdmin),
    };
  } catch (error) {
    await Promise.all(open.map((listener) => listener.close()));
    throw error;
  }
}
