import assert from 'node:assert/strict';
import { until } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const FAILING = { status: 500, body: '{"error":{"code":500}}' };

describe('what failed because a service is away, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 3 });

  it('is retried automatically once the service is up, and then left alone', async () => {
    const looks = (): number => intercepted.upstream.seen.filter(({ path }) => path.includes('health')).length;
    const lists = (): number => intercepted.upstream.seen.filter(({ path }) => path.includes('page_size=25')).length;
    await onPage(
      intercepted,
      '/settings',
      async ({ page, context, expect }) => {
        expect(502, /^\/api\//);
        expect(400, '/api/identities/search');
        // Every page asks by and by what is down, which looks at all services.
        await context.route('**/api/services', (route) => route.fulfill({ json: { services: [] } }));
        intercepted.upstream.before = () => FAILING;
        await page.clock.install();
        await page.goto(`${intercepted.dashboard.baseUrl}/identities`);
        const alert = page.getByRole('alert');
        await alert.getByText(/The identity service’s admin API returns errors/).waitFor();
        const runUntil = (condition: () => boolean | Promise<boolean>): Promise<void> =>
          until(async () => {
            await page.clock.runFor(1_000);
            return condition();
          });
        intercepted.letMomentsPass();
        intercepted.upstream.seen = [];
        await runUntil(() => looks() > 0);
        assert.equal(lists(), 0, 'nothing is requested of a service that is still away');
        intercepted.upstream.calm();
        intercepted.letMomentsPass();
        await runUntil(() => page.locator('tr[data-row]').first().isVisible());
        await alert.waitFor({ state: 'detached' });
        await page.getByText(/in total/).waitFor();
        intercepted.upstream.seen = [];
        await page.clock.runFor(3_600_000);
        assert.deepEqual([looks(), lists()], [0, 0], 'what is well again is left alone');
      },
      { heading: 'Settings' },
    );
  });
});
