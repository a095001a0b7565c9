import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dashboard, type DashboardOptions, startDashboard } from './dashboard.ts';
import { CookieJar, visit } from './http-sign-in.ts';

interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
}

type Answer = (request: SeenRequest, res: ServerResponse) => void;

/** An OAuth 2.0 server and identity store whose answers a test sets: what a well-behaved one never says. */
export interface FakeProvider {
  url: string;
  seen: SeenRequest[];
  token: Answer;
  userinfo: Answer;
  identity: Answer;
  /** Well-behaved again, and nothing seen. */
  reset(): void;
  close(): Promise<void>;
}

export const json =
  (body: unknown, status = 200): Answer =>
  (_request, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

export const OPERATOR_ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

export const activeOperator = (traits: Record<string, unknown> = { email: 'ada@example.com', role: 'admin' }) => ({
  id: OPERATOR_ID,
  schema_id: 'operator',
  state: 'active',
  traits,
});

export async function startFakeProvider(): Promise<FakeProvider> {
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = (req.url ?? '').split('?', 1)[0] ?? '';
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const request = { method: req.method ?? '', path, headers: req.headers, form };
      provider.seen.push(request);
      if (path === '/oauth2/token') provider.token(request, res);
      else if (path.endsWith('/userinfo')) provider.userinfo(request, res);
      else provider.identity(request, res);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const wellBehaved = () => ({
    seen: [],
    token: json({ access_token: 'token-of-the-test', token_type: 'bearer', expires_in: 3600 }),
    userinfo: json({ sub: OPERATOR_ID, email: 'ada@example.com' }),
    identity: json(activeOperator()),
  });
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...wellBehaved(),
    reset: () => void Object.assign(provider, wellBehaved()),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

export const cookieLine = (response: Response, name: string): string | undefined =>
  response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));

/** A dashboard whose OAuth server and identity store say what the test wants, and the steps of a sign-in there. */
export interface ProviderFlow {
  provider: FakeProvider;
  dashboard: Dashboard;
  /** @returns where the browser is sent */
  begin(jar: CookieJar, path?: string): Promise<URL>;
  finish(jar: CookieJar, query: Record<string, string>, init?: RequestInit): Promise<Response>;
  /** Both steps. @returns the answer to the callback */
  signIn(jar?: CookieJar, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export async function startProviderFlow(options: Omit<DashboardOptions, 'sandbox'> = {}): Promise<ProviderFlow> {
  const provider = await startFakeProvider();
  const dashboard = await startDashboard({
    ...options,
    env: {
      AUTH_URL: provider.url,
      AUTH_INTERNAL_URL: provider.url,
      AUTH_IDENTITY_ADMIN_URL: provider.url,
      OPERATOR_SCHEMA_IDS: 'operator',
      ...options.env,
    },
  }).catch(async (error) => {
    await provider.close();
    throw error;
  });
  const flow: ProviderFlow = {
    provider,
    dashboard,
    async begin(jar, path = '/api/auth/login') {
      const response = await visit(`${dashboard.url}${path}`, jar);
      assert.equal(response.status, 302);
      return new URL(response.headers.get('location') ?? '');
    },
    finish: (jar, query, init) => visit(`${dashboard.url}/api/auth/callback?${new URLSearchParams(query)}`, jar, init),
    async signIn(jar = new CookieJar(), init) {
      const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
      return flow.finish(jar, { code: 'code-of-the-test', state }, init);
    },
    async close() {
      await dashboard.close();
      await provider.close();
    },
  };
  return flow;
}
