import assert from 'node:assert/strict';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

describe('the system page, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_TIMEOUT_MS: '1000' } });
  const onSystem = (work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(intercepted, '/system', work, { heading: 'System', ...looks });

  it(`shows services with version and latency, and the configuration, and is accessible in all colours and widths`, () =>
    onSystem(async ({ page }) => {
      const row = page.getByRole('row').filter({ hasText: 'Identity admin' }).first();
      await row.getByText(/\d check.*up, .*ms/).waitFor();
      await row.getByText(/^v?\d+\.\d+/).waitFor();
      await page.getByText('Sessions last at most').waitFor();
      await assertAccessibleInAllLooks(page, 'the system page');
    }));

  it('polls while it is open, and names the problem and what to check until it is resolved', () =>
    onSystem(async ({ page }) => {
      await page.getByText('configured services are up.').waitFor();
      intercepted.upstream.before = () => ({ status: 401, body: '{}' });
      await page
        .getByText('Identity admin, ')
        .or(page.getByText('not up: Identity admin'))
        .first()
        .waitFor({ timeout: 20_000 });
      await page.getByText('It rejects the stored API key').first().waitFor();
      await assertAccessibleInAllLooks(page, 'the system page with a service that ails');
      intercepted.upstream.calm();
      await page.getByText('It rejects the stored API key').first().waitFor({ state: 'detached', timeout: 20_000 });
      await page
        .getByText(/\d checks, \d+ of them up/)
        .first()
        .waitFor();
    }));

  it('tells of each service its own version and every latency since it was opened, and asks for none while hidden', () =>
    onSystem(async ({ page, context }) => {
      const state = (name: ServiceName, version: string | null, latency_ms: number | null): ServiceState => ({
        name,
        status: latency_ms === null ? 'down' : 'up',
        version,
        latency_ms,
        problem: latency_ms === null ? 'unreachable' : null,
        since: null,
        checked_at: new Date(checked).toISOString(),
      });
      let checked = Date.now();
      let services = [state('identity-admin', 'v26.2.0', 7), state('oauth-admin', 'v25.4.0', 41)];
      let asked = 0;
      await context.route('**/api/services', (route) => {
        asked += 1;
        return route.fulfill({ json: { services } satisfies Services });
      });
      const cells = (name: string) => page.getByRole('row').filter({ hasText: name }).getByRole('cell');
      const shows = async (name: string, version: string, latencies: string): Promise<void> => {
        await cells(name).nth(2).getByText(latencies).waitFor();
        await becomes(() => cells(name).nth(1).innerText(), version);
      };
      await page.clock.install();
      await page.reload();
      await shows('Identity admin', 'v26.2.0', '1 check, up, 7 ms');
      await shows('OAuth 2.0 admin', 'v25.4.0', '1 check, up, 41 ms');

      checked += 5_000;
      services = [state('identity-admin', 'v26.3.0', 19), state('oauth-admin', null, null)];
      await page.clock.runFor(5_500);
      await shows('Identity admin', 'v26.3.0', '2 checks, all up, 7 to 19 ms');
      await shows('OAuth 2.0 admin', '–', '2 checks, 1 of them up, 41 ms');

      const turn = (visibility: DocumentVisibilityState): Promise<void> =>
        page.evaluate((state) => {
          Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
          document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        }, visibility);
      await turn('hidden');
      const before = asked;
      await page.clock.runFor(60_000);
      assert.equal(asked, before, 'it asks though nobody looks');
      const again = page.waitForResponse('**/api/services');
      await turn('visible');
      await again;
    }));

  it('shows each service’s state without colour too, and marks only failed checks', () =>
    onSystem(async ({ page, context }) => {
      const state = (name: ServiceName, more: Partial<ServiceState>): ServiceState => ({
        name,
        status: 'up',
        version: null,
        latency_ms: null,
        problem: null,
        since: null,
        checked_at: new Date().toISOString(),
        ...more,
      });
      const services = [
        state('geo', {}),
        state('database', { latency_ms: 55 }),
        state('oauth', { status: 'degraded', latency_ms: 1_204, problem: 'slow' }),
        state('identity', { status: 'down', problem: 'unreachable' }),
        state('iam-identity', { status: 'not_configured' }),
      ];
      await context.route('**/api/services', (route) => route.fulfill({ json: { services } satisfies Services }));
      await page.reload();
      const row = (name: string) =>
        page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
      for (const [name, words, marks] of [
        ['Geolocation', 'Up', 0],
        ['Database', 'Up, 55 ms', 0],
        ['OAuth 2.0', 'Degraded, slow, 1,204 ms', 0],
        ['Identity', 'Down, not reachable', 1],
        ['Workforce identity', 'Not configured', 0],
      ] as const) {
        await row(name).getByText(words, { exact: true }).waitFor();
        await becomes(() => row(name).locator('circle').count(), marks, name);
      }
      const looks = () =>
        page.locator('td [data-status]').evaluateAll((dots) =>
          dots.map((dot) => {
            const { backgroundColor, borderRadius, clipPath } = getComputedStyle(dot);
            return [backgroundColor, borderRadius, clipPath].join(' ');
          }),
        );
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ forcedColors: 'active', colorScheme });
        await becomes(async () => new Set(await looks()).size, 4);
        const [geo, database] = await looks();
        assert.equal(geo, database);
        // Filled shapes stand out from their background.
        await becomes(
          () =>
            page.evaluate(() => {
              const dot = document.querySelector('[data-status=good]');
              return (
                dot !== null &&
                getComputedStyle(dot).backgroundColor !== getComputedStyle(document.body).backgroundColor
              );
            }),
          true,
        );
      }
      await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
      await assertAccessibleInAllLooks(page, 'the system page with services in each state');
    }));

  it('shows a viewer the services and says whose the configuration is, without asking for it', () =>
    onSystem(
      async ({ page }) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.reload();
        await page.getByText('configured services are up.').waitFor();
        await page.getByText('is for administrators.').waitFor();
        await page
          .getByRole('navigation', { name: 'Pages' })
          .getByRole('link', { name: 'System', exact: true })
          .waitFor();
        await assertAccessibleInAllLooks(page, "the viewer's system page");
        assert.ok(!asked.includes('/api/config'));
      },
      { role: 'viewer' },
    ));

  it('fails in place and keeps what it knew, the other part untouched', () =>
    onSystem(async ({ page, context, expect }) => {
      expect(500, '/api/services');
      await page.getByText('configured services are up.').waitFor();
      await context.route('**/api/services', (route) =>
        route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Something failed here.' } }),
      );
      await page.getByText('This is out of date').waitFor({ timeout: 30_000 });
      await assertAccessibleInAllLooks(page, 'the system page out of date');
      await page.getByText('configured services are up.').waitFor();
      await page.getByText('Sessions last at most').waitFor();
      await context.unroute('**/api/services');
      await page.getByRole('button', { name: 'Try again' }).press('Enter');
      await page.getByText('This is out of date').waitFor({ state: 'detached' });
    }));

  it('can be scrolled and followed by keyboard alone', () =>
    onSystem(async ({ page }) => {
      const table = page.getByRole('region', { name: 'Services', exact: true });
      await table.last().waitFor();
      await page.getByText('None stored').first().waitFor();
      const reached = new Set<string>();
      for (let n = 0; n < 60; n += 1) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''));
      }
      assert.ok(reached.has('Services'));
    }));
});
