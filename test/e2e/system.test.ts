import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';
import { becomes, until } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { turnTab } from '../support/newest-first-lists.ts';
import { outage } from '../support/questions.ts';

const state = (name: ServiceName, more: Partial<ServiceState> = {}): ServiceState => ({
  name,
  status: 'up',
  version: null,
  latency_ms: 5,
  problem: null,
  since: null,
  checked_at: new Date().toISOString(),
  ...more,
});
/** The services are said to be as the list says when it is requested. */
const given = ({ context }: Visit, services: () => ServiceState[]): Promise<unknown> =>
  context.route('**/api/services', (route) => route.fulfill({ json: { services: services() } satisfies Services }));

describe('the state of services, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const onSystem = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(intercepted, '/system', work, { heading: 'System' });

  it('is polled while the page is visible, collected since it was opened, and kept when it cannot be read', () =>
    onSystem(async (visit) => {
      const { page, context, expect } = visit;
      expect(500, '/api/services');
      let checked = Date.now();
      const at = (version: string, latency_ms: number): ServiceState[] => [
        state('identity-admin', { version, latency_ms, checked_at: new Date(checked).toISOString() }),
      ];
      let requests = 0;
      let services = at('v26.2.0', 7);
      await given(visit, () => {
        requests += 1;
        return services;
      });
      const cells = page.getByRole('row').filter({ hasText: 'Identity admin' }).first().getByRole('cell');
      await page.clock.install();
      await page.reload();
      await cells.nth(2).getByText('1 check, up, 7 ms').waitFor();

      checked += 5_000;
      services = at('v26.3.0', 19);
      await page.clock.runFor(5_500);
      await cells.nth(2).getByText('2 checks, all up, 7 to 19 ms').waitFor();
      await becomes(() => cells.nth(1).innerText(), 'v26.3.0');

      await turnTab(page, 'hidden');
      const before = requests;
      await page.clock.runFor(60_000);
      assert.equal(requests, before, 'it is polled though nobody looks');
      await turnTab(page, 'visible');
      await until(() => requests > before);

      await context.unroute('**/api/services');
      await context.route('**/api/services', (route) =>
        route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Something failed here.' } }),
      );
      await until(async () => {
        await page.clock.runFor(1_000);
        return page.getByText('This is out of date').isVisible();
      });
      await becomes(() => cells.nth(1).innerText(), 'v26.3.0');
    }));

  it('is told apart without colour, in a table that is scrolled by keyboard', () =>
    onSystem(async (visit) => {
      const { page } = visit;
      await given(visit, () => [
        state('geo'),
        state('database'),
        state('oauth', { status: 'degraded', problem: 'slow' }),
        state('identity', { status: 'down', problem: 'unreachable' }),
        state('iam-identity', { status: 'not_configured' }),
      ]);
      await page.reload();
      await page.getByRole('rowheader', { name: 'Workforce identity', exact: true }).waitFor();
      const looks = () =>
        page.locator('td [data-status]').evaluateAll((dots) =>
          dots.map((dot) => {
            const { backgroundColor, borderRadius, clipPath } = getComputedStyle(dot);
            return [backgroundColor, borderRadius, clipPath].join(' ');
          }),
        );
      await page.emulateMedia({ forcedColors: 'active' });
      await becomes(async () => new Set((await looks()).slice(0, 5)).size, 4);
      // Filled shapes stand out from their background.
      const colours = page.evaluate(() =>
        ['[data-status=good]', 'body'].map(
          (one) => getComputedStyle(document.querySelector(one) as Element).backgroundColor,
        ),
      );
      assert.equal(new Set(await colours).size, 2);
      await page.emulateMedia({ forcedColors: 'none' });
      await until(async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Services');
      });
    }));
});

describe('what is down, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const said = (page: Page) => page.getByRole('status').filter({ hasText: / down/ });
  const down = (since: number): ServiceState[] => [
    state('oauth', { status: 'down', problem: 'unreachable', latency_ms: null, since: new Date(since).toISOString() }),
  ];
  /** The line begins to be read some seconds after the page, and each wait begins with an answer. */
  const runUntil = (page: Page, condition: () => boolean | Promise<boolean>): Promise<void> =>
    until(async () => {
      await page.clock.runFor(1_000);
      return condition();
    });

  it('is counted in minutes, which are not announced; its end is', () =>
    onPage(
      intercepted,
      '/settings',
      async (visit) => {
        const { page } = visit;
        let services = down(Date.now() - 90_000);
        await given(visit, () => services);
        await page.clock.install();
        await page.reload();
        await runUntil(page, () => outage(page).isVisible());
        const words = await said(page).innerText();
        assert.match(words, /^OAuth 2\.0 has been down since [^.]+\. Signing in/);
        const minutes = async () => (await outage(page).innerText()).match(/, (\S+) minutes?\./)?.[1];
        const before = await minutes();
        await runUntil(page, async () => (await minutes()) !== before);
        assert.equal(await said(page).innerText(), words);
        services = [state('oauth')];
        await runUntil(page, async () => !(await outage(page).isVisible()));
        await becomes(() => said(page).innerText(), 'Nothing is down any more.');
      },
      { heading: 'Settings' },
    ));

  it('is requested every half minute while the page is visible, and not once the session has ended', () =>
    onPage(
      intercepted,
      '/settings',
      async (visit) => {
        const { page, context, expect } = visit;
        expect(401, /^\/api\//);
        let requests = 0;
        await given(visit, () => {
          requests += 1;
          return [state('geo')];
        });
        const isRequestedAgain = (): Promise<void> => {
          const before = requests;
          return runUntil(page, () => requests > before);
        };
        await page.clock.install();
        await page.reload();
        for (const _ of [1, 2, 3]) await isRequestedAgain();
        await turnTab(page, 'hidden');
        let before = requests;
        await page.clock.runFor(120_000);
        assert.equal(requests, before, 'it is requested though nobody looks');
        await turnTab(page, 'visible');
        await isRequestedAgain();
        await context.clearCookies();
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Identities' }).click();
        await page.getByText('You are signed out').waitFor();
        before = requests;
        await page.clock.runFor(120_000);
        assert.equal(requests, before, 'it is requested without a session');
      },
      { heading: 'Settings' },
    ));
});
