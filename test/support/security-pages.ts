import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from './axe.ts';
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

/** In both colours, and on a narrow screen, which it must not exceed. */
export const looksRight = (
  visited: VisitedPage,
  what: string,
  settled: (page: Page) => Promise<unknown>,
): Promise<void> =>
  visited.visit(async ({ page }) => {
    await settled(page);
    await assertAccessibleInAllLooks(page, what);
  });

/** A viewer gets the server's words, and the service is asked for nothing below `/api/security`. */
export const isClosedToViewers = (visited: VisitedPage, path: string): Promise<void> =>
  visited.visit(
    async ({ page }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${visited.dashboard.baseUrl}${path}`);
      await page.getByText('Admin access required.').waitFor();
      await page.getByText('Contact your administrator to request access.').waitFor();
      await page.getByRole('link', { name: 'Security (for administrators)' }).waitFor();
      assert.deepEqual(
        asked.filter((one) => one.startsWith('/api/security')),
        [],
      );
    },
    { role: 'viewer', path },
  );

/** What cannot be read fails in place, with the request's id, and is read on request: by keyboard. */
export const failsInPlace = (
  visited: VisitedPage,
  path: string,
  settled: (page: Page) => Promise<unknown>,
): Promise<void> =>
  visited.visit(async (visit) => {
    const { page } = visit;
    const { mend } = await failing(visit, path);
    await page.reload();
    await page.getByRole('alert').getByText('r-17').waitFor();
    await mend();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await settled(page);
  });

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
