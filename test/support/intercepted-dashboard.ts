import { needsChromium, signedInVisit, type Visit, type VisitLooks } from './browser.ts';
import { type Dashboard, startDashboard } from './dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from './faulting-upstream.ts';
import { indexReady } from './index-ready.ts';

/** A dashboard whose requests to one of its services are intercepted: they can be watched, answered for, delayed and lost. */
export interface InterceptedDashboard {
  upstream: FaultingUpstream;
  dashboard: Dashboard;
  sessions: Record<'admin' | 'viewer', string>;
  /** Whatever the service remembers of the other ones for a few seconds is too old now. */
  letMomentsPass(): void;
  close(): Promise<void>;
}

export interface InterceptedDashboardOptions {
  /** Invented people that the identity service has from the start. */
  people?: number;
  /** Of which service, by the variable with the address of its admin API; the identity service's without it. */
  service?: 'IDENTITY_ADMIN_URL' | 'OAUTH_ADMIN_URL';
  env?: NodeJS.ProcessEnv;
}

/** Longer than a service's state is kept. */
const MOMENTS_MS = 6_000;

export async function startInterceptedDashboard({
  people = 0,
  service = 'IDENTITY_ADMIN_URL',
  env = {},
}: InterceptedDashboardOptions = {}): Promise<InterceptedDashboard> {
  const upstream = await startFaultingUpstream();
  let aheadMs = 0;
  const dashboard = await startDashboard({
    monotonic: () => performance.now() + aheadMs,
    env: { [service]: upstream.url, ...env },
    storeFromSandbox: true,
    sandbox: { people },
  }).catch(async (error) => {
    await upstream.close();
    throw error;
  });
  upstream.target = dashboard.sandbox.environment[service] ?? '';
  const sessions = { admin: await dashboard.signIn('admin'), viewer: await dashboard.signIn('viewer') };
  return {
    upstream,
    dashboard,
    sessions,
    letMomentsPass() {
      aheadMs += MOMENTS_MS;
    },
    async close() {
      await dashboard.close();
      await upstream.close();
    },
  };
}

/** One for all tests of a suite in a browser; its members stand from the suite's `before` on. */
export function interceptedDashboardOfSuite(options: InterceptedDashboardOptions = {}): InterceptedDashboard {
  const intercepted = {} as InterceptedDashboard;
  before(async function () {
    needsChromium(this);
    Object.assign(intercepted, await startInterceptedDashboard(options));
    // Until then lists cannot be searched, and browsers report the refusal.
    await indexReady(intercepted.dashboard, intercepted.sessions.admin);
  });
  after(() => intercepted.close?.());
  return intercepted;
}

export type Looks = { role?: 'admin' | 'viewer' | undefined } & VisitLooks;

/**
 * Opens a page of the dashboard as an operator, moments after what was before; nothing is disturbed, and what opening it
 * asked for is already seen.
 */
export const onPage = (
  { upstream, dashboard, sessions, letMomentsPass }: InterceptedDashboard,
  path: string,
  work: (visit: Visit) => Promise<void>,
  { role = 'admin', ...looks }: Looks = {},
): Promise<void> => {
  upstream.calm();
  letMomentsPass();
  return signedInVisit(dashboard, sessions[role], { path, ...looks }, work);
};
