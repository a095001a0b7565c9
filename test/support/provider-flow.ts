import assert from 'node:assert/strict';
import { type Dashboard, type DashboardOptions, startDashboard } from './dashboard.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { CookieJar, visit } from './http-sign-in.ts';

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
