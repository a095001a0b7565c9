import type { ServiceState, Services } from '../../shared/services.ts';
import { eventually, until } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { serviceState } from '../support/overview-responses.ts';

describe('the status of services', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('is distinguishable without colour, polled only while the page is visible, and still displayed when a poll fails', () =>
    onPage(intercepted, { path: '/system', heading: 'System' }, async ({ page, context, expect }) => {
      expect(500, '/api/services');
      let requests = 0;
      let database: Partial<ServiceState> = {};
      await context.route('**/api/services', (route) => {
        requests += 1;
        const services = [
          serviceState('geo'),
          serviceState('database', database),
          serviceState('oauth', { status: 'degraded', problem: 'slow' }),
          serviceState('identity', { status: 'down', problem: 'unreachable' }),
        ];
        return route.fulfill({ json: { services } satisfies Services });
      });
      await page.clock.install();
      await page.reload();
      await page.getByRole('rowheader', { name: 'OAuth 2.0', exact: true }).waitFor();
      const shapes = () => page.locator('td [data-status]').evaluateAll((dots) => dots.map((dot) => dot.innerHTML));
      await eventually(async () => new Set((await shapes()).slice(0, 4)).size, 3);

      database = { version: '11.8', checked_at: new Date(Date.now() + 5_000).toISOString() };
      await page.clock.runFor(5_500);
      const version = page.getByRole('row').filter({ hasText: 'Database' }).first().getByRole('cell').nth(1);
      await eventually(() => version.innerText(), '11.8');
      const setVisibility = (value: 'visible' | 'hidden'): Promise<void> =>
        page.evaluate((visibility) => {
          Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibility });
          document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        }, value);
      await setVisibility('hidden');
      // A request sent before the tab was hidden may still arrive.
      let before = requests;
      await until(async () => {
        before = requests;
        await page.clock.runFor(60_000);
        return requests === before;
      });
      await setVisibility('visible');
      await until(() => requests > before);

      await context.unroute('**/api/services');
      await context.route('**/api/services', (route) =>
        route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Something failed here.' } }),
      );
      await until(async () => {
        await page.clock.runFor(1_000);
        return page.getByText('This may be out of date').isVisible();
      });
      await eventually(() => version.innerText(), '11.8');
    }));
});
