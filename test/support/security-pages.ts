import { needsChromium, type Visit, type VisitOptions } from './browser.ts';
import { signedInVisit } from './browser-sign-in.ts';
import { type Dashboard, type DashboardOptions, startDashboard } from './dashboard.ts';

/** A dashboard for a suite on one page, and visits to that page as either operator. */
export interface VisitedPage {
  dashboard: Dashboard;
  sessions: Record<'admin' | 'viewer', string>;
  visit(
    work: (visit: Visit) => Promise<void>,
    options?: { path?: string; heading?: string; role?: 'admin' | 'viewer' } & Pick<
      VisitOptions,
      'colorScheme' | 'viewport'
    >,
  ): Promise<void>;
}

/** Its members stand from the suite's `before` on. */
export function visitedPageOfSuite(path: string, heading: string, options: DashboardOptions = {}): VisitedPage {
  const visited = {
    visit: (work, { role = 'admin', ...looks } = {}) =>
      signedInVisit(visited.dashboard, visited.sessions[role], { path, heading, ...looks }, work),
  } as VisitedPage;
  before(async function () {
    needsChromium(this);
    visited.dashboard = await startDashboard(options);
    visited.sessions = {
      admin: await visited.dashboard.signIn('admin'),
      viewer: await visited.dashboard.signIn('viewer'),
    };
  });
  after(() => visited.dashboard?.close());
  return visited;
}

/** Answers a route of the service with a failure until told otherwise. */
export async function failing({ context, expect }: Visit, path: string): Promise<{ mend(): Promise<void> }> {
  expect(500, path);
  const matches = (url: URL): boolean => url.pathname === path;
  await context.route(matches, (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'r-17' },
      json: { error: 'internal_error', message: 'Something went wrong.' },
    }),
  );
  return { mend: () => context.unroute(matches) };
}
