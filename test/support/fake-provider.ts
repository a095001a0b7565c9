import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type DashboardOptions, startDashboard } from './dashboard.ts';
import { CookieJar, visit } from './http-sign-in.ts';
import { listenOnLoopback } from './loopback.ts';

interface ProviderRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
}

export type Responder = (request: ProviderRequest, res: ServerResponse) => void;

/** An OAuth 2.0 server and identity store whose responses a test sets, including responses that no real server sends. */
export interface FakeProvider {
  url: string;
  requests: ProviderRequest[];
  token: Responder;
  userinfo: Responder;
  identity: Responder;
  /** Restores the responses of a sign-in that succeeds, and removes recorded requests. */
  reset(): void;
  close(): Promise<void>;
}

export const jsonResponse =
  (body: unknown, status = 200): Responder =>
  (_request, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

export const OPERATOR_ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

/** An identity as Kratos returns it. */
export const operatorIdentity = (traits: Record<string, unknown> = { email: 'ada@example.com', role: 'admin' }) => ({
  id: OPERATOR_ID,
  schema_id: 'operator',
  state: 'active',
  traits,
});

export async function startFakeProvider(): Promise<FakeProvider> {
  const server = createServer((req, res) => {
    respond(req, res).catch(() => res.destroy());
  });
  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await req.setEncoding('utf8').toArray()).join(''));
    const path = (req.url ?? '').split('?', 1)[0] ?? '';
    const request = { method: req.method ?? '', path, headers: req.headers, form };
    provider.requests.push(request);
    if (path === '/oauth2/token') provider.token(request, res);
    else if (path.endsWith('/userinfo')) provider.userinfo(request, res);
    else provider.identity(request, res);
  }
  const { url, close } = await listenOnLoopback(server);
  const initial = () =>
    ({
      requests: [],
      token: jsonResponse({ access_token: 'token-of-the-test', token_type: 'bearer', expires_in: 3600 }),
      userinfo: jsonResponse({ sub: OPERATOR_ID, email: 'ada@example.com' }),
      identity: jsonResponse(operatorIdentity()),
    }) satisfies Partial<FakeProvider>;
  const provider: FakeProvider = {
    url,
    ...initial(),
    reset: () => void Object.assign(provider, initial()),
    close,
  };
  return provider;
}

/** The `Set-Cookie` header of a cookie. */
export const setCookieOf = (response: Response, name: string): string | undefined =>
  response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));

export type ProviderFlow = Awaited<ReturnType<typeof startProviderFlow>>;

/** A dashboard that signs operators in at a fake provider, and the steps of a sign-in there. */
export async function startProviderFlow(options: Omit<DashboardOptions, 'sandbox'> = {}) {
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
  });
  /** Starts a sign-in. @returns the address to which the browser is sent */
  const begin = async (jar: CookieJar, path = '/api/auth/login'): Promise<URL> => {
    const response = await visit(`${dashboard.url}${path}`, jar);
    assert.equal(response.status, 302);
    return new URL(response.headers.get('location') ?? '');
  };
  /** Requests the callback with this query. */
  const finish = (jar: CookieJar, query: Record<string, string>, init?: RequestInit): Promise<Response> =>
    visit(`${dashboard.url}/api/auth/callback?${new URLSearchParams(query)}`, jar, init);
  return {
    provider,
    dashboard,
    begin,
    finish,
    /** Starts and finishes a sign-in. @returns the response to the callback */
    async signIn(jar = new CookieJar(), init?: RequestInit): Promise<Response> {
      const state = (await begin(jar)).searchParams.get('state') ?? '';
      return finish(jar, { code: 'code-of-the-test', state }, init);
    },
    async close(): Promise<void> {
      await dashboard.close();
      await provider.close();
    },
  };
}
