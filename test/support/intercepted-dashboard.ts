import { type Role, rolesWith } from '../../shared/capabilities.ts';
import { type DisplayOptions, ofBrowserSuite, signedInVisit, type Visit } from './browser.ts';
import { indexReady, startDashboard } from './dashboard.ts';
import { startFaultingUpstream } from './faulting-upstream.ts';
import type { CallOptions } from './http-sign-in.ts';

export interface InterceptedDashboardOptions {
  /** Number of generated people in the identity service. */
  people?: number;
  /** The service that is intercepted, by the variable with the address of its admin API. */
  service?: 'IDENTITY_ADMIN_URL' | 'OAUTH_ADMIN_URL';
  env?: NodeJS.ProcessEnv;
}

/** Longer than the dashboard caches the state of a service. */
const CACHES_EXPIRED_MS = 6_000;

export type InterceptedDashboard = Awaited<ReturnType<typeof startInterceptedDashboard>>;

/** Starts a dashboard whose requests to one of its services can be recorded, replaced, delayed and lost. */
export async function startInterceptedDashboard({
  people = 0,
  service = 'IDENTITY_ADMIN_URL',
  env = {},
}: InterceptedDashboardOptions = {}) {
  const upstream = await startFaultingUpstream();
  let aheadMs = 0;
  const dashboard = await startDashboard({
    monotonic: () => performance.now() + aheadMs,
    env: { [service]: upstream.url, ...env },
    storeFromSandbox: true,
    sandbox: { people },
  });
  upstream.target = dashboard.sandbox.environment[service] ?? '';
  /** Of the roles of this dashboard (`env.EXTRA_ROLES`). */
  const sessions = {} as Record<Role, string>;
  for (const role of rolesWith(env.EXTRA_ROLES?.split(',') ?? [])) sessions[role] = await dashboard.signIn(role);
  /** Sends a request as an administrator. */
  const call = (path: string, options?: CallOptions): Promise<Response> =>
    dashboard.call(path, { session: sessions.admin, ...options });
  return {
    upstream,
    dashboard,
    sessions,
    call,
    read: async <T>(path: string): Promise<T> => (await call(path)).json() as Promise<T>,
    indexReady: (): Promise<void> => indexReady(dashboard, sessions.admin),
    /** Moves the dashboard's clock on, until the states of services that it has cached have expired. */
    expireCaches(): void {
      aheadMs += CACHES_EXPIRED_MS;
    },
    async close(): Promise<void> {
      await dashboard.close();
      await upstream.close();
    },
  };
}

/** For a suite in a browser: one dashboard for all its tests, available from `before` on. */
export function interceptedDashboardOfSuite(options: InterceptedDashboardOptions = {}): InterceptedDashboard {
  const intercepted = ofBrowserSuite(() => startInterceptedDashboard(options));
  // Until the index is ready, searches of lists fail, and the browser reports each failure.
  before(() => intercepted.indexReady());
  return intercepted;
}

export type PageOptions = { path: string; role?: Role | undefined } & DisplayOptions;

/** Removes faults, recorded requests and cached state, and opens a page of the dashboard as an operator. */
export const onPage = (
  { upstream, dashboard, sessions, expireCaches }: InterceptedDashboard,
  page: string | PageOptions,
  work: (visit: Visit) => Promise<void>,
): Promise<void> => {
  const { role = 'admin', ...display } = typeof page === 'string' ? { path: page } : page;
  upstream.reset();
  expireCaches();
  return signedInVisit(dashboard, sessions[role], display, work);
};
