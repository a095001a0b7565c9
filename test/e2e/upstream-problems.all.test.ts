import assert from 'node:assert/strict';
import type { ServiceProblem, ServiceState } from '../../shared/services.ts';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import type { GivenAnswer } from '../support/faulting-upstream.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

type Given = Exclude<GivenAnswer, 'silence'>;

const ALWAYS = {
  refuses_key: { status: 401, body: '{"error":{"code":401,"reason":"no"}}' },
  too_many_requests: { status: 429, body: '{"error":{"code":429}}' },
  failing: { status: 500, body: '{"error":{"code":500}}' },
  nonsense: { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<p>It works!</p>' },
} satisfies Partial<Record<ServiceProblem, Given>>;

describe('an upstream that fails, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 3 });

  const failing = (given: Given, work: (visit: Visit) => Promise<void>, before = async (): Promise<void> => {}) =>
    onPage(
      intercepted,
      '/settings',
      async (visit) => {
        for (const status of [500, 502, 504, given.status]) visit.expect(status, /^\/api\//);
        // The index has read nothing.
        visit.expect(400, '/api/identities/search');
        await before();
        intercepted.upstream.before = () => given;
        await visit.page.goto(`${intercepted.dashboard.baseUrl}/identities`);
        await work(visit);
      },
      { heading: 'Settings' },
    );

  const WORDS: Record<keyof typeof ALWAYS, RegExp> = {
    refuses_key:
      /The identity service’s admin API rejects the dashboard’s API key\. The setting upstream\.identity-admin\.api_key is missing or wrong\./,
    too_many_requests: /The identity service’s admin API is receiving too many requests/,
    failing: /The identity service’s admin API returns errors/,
    nonsense: /Something other than .* answers at its address.* in IDENTITY_ADMIN_URL/,
  };
  for (const problem of Object.keys(ALWAYS) as (keyof typeof ALWAYS)[])
    it(`names the service and the problem: ${problem}`, () =>
      failing(ALWAYS[problem], async ({ page }) => {
        await page.getByText(WORDS[problem]).first().waitFor();
        assert.equal(await page.getByText('Unable to reach upstream service.').count(), 0);
        await assertAccessible(page, 'the failure');
      }));

  it('is detected although the service was healthy a moment before', async () => {
    const isFoundWell = async (): Promise<void> => {
      const found = await intercepted.dashboard.call('/api/services/identity-admin', {
        session: intercepted.sessions.admin,
      });
      await becomes(async () => ((await found.json()) as ServiceState).problem, null);
    };
    const thenFails = async ({ page }: Visit): Promise<void> => {
      await page.getByText('Unable to reach upstream service.').waitFor();
      await page.getByText(WORDS.failing).first().waitFor();
    };
    await failing(ALWAYS.failing, thenFails, isFoundWell);
  });

  it('leads from a refused key to the setting that holds it', () =>
    failing(ALWAYS.refuses_key, async ({ page, expect }) => {
      expect(404, '/api/settings/upstream.identity-admin.api_key');
      await page.getByRole('link', { name: 'Open this setting' }).first().click();
      await page.getByText('No setting has the key').waitFor();
      await page.getByRole('link', { name: 'Create it' }).click();
      await becomes(() => page.getByRole('textbox', { name: 'Key' }).inputValue(), 'upstream.identity-admin.api_key');
    }));

  it('names the variable with the address where nobody answers there, also in a person’s place', async () => {
    await intercepted.dashboard.restart({ IDENTITY_ADMIN_URL: 'http://127.0.0.1:1' });
    try {
      await onPage(intercepted, '/settings', async ({ page, expect }) => {
        expect(502, /^\/api\//);
        expect(400, '/api/identities/search');
        for (const path of ['/identities', '/identities/00000000-0000-4000-8000-000000000001']) {
          await page.goto(`${intercepted.dashboard.baseUrl}${path}`);
          await page
            .getByText(/cannot be reached: nothing answers at the address in IDENTITY_ADMIN_URL/)
            .first()
            .waitFor();
        }
      });
    } finally {
      await intercepted.dashboard.restart();
    }
  });

  it('is retried automatically once the service is up, and only while the page is visible', async () => {
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
        intercepted.upstream.before = () => ALWAYS.failing;
        await page.clock.install();
        await page.goto(`${intercepted.dashboard.baseUrl}/identities`);
        const alert = page.getByRole('alert');
        await alert.getByText(WORDS.failing).waitFor();
        const pass = async (seconds: number): Promise<void> => {
          intercepted.letMomentsPass();
          intercepted.upstream.seen = [];
          await page.clock.runFor(seconds * 1_000);
        };
        await pass(5);
        await becomes(looks, 1);
        assert.equal(lists(), 0, 'nothing is asked of a service that is still away');
        await pass(9);
        assert.equal(looks(), 0, 'each look comes later');
        intercepted.upstream.calm();
        // The wait before this check began when the previous check was answered.
        await pass(11);
        await page.locator('tr[data-row]').first().waitFor();
        await alert.waitFor({ state: 'detached' });
        await pass(20);
        await page.getByText(/in total/).waitFor();
        await pass(3_600);
        assert.deepEqual([looks(), lists()], [0, 0], 'what is well again is left alone');
      },
      { heading: 'Settings' },
    );
  });

  it('says when the service responds again', () =>
    onPage(intercepted, '/dashboard', async ({ page, context, expect }) => {
      expect(502, /^\/api\//);
      const state: Partial<ServiceState> = { name: 'identity-admin', status: 'up', problem: null };
      await context.route('**/api/services/*', (route) => route.fulfill({ json: state }));
      await context.route('**/api/identities/search?*', (route) =>
        route.fulfill({ status: 502, json: { error: 'bad_gateway', message: 'Unable to reach upstream service.' } }),
      );
      await page.clock.install();
      let lists = 0;
      page.on('request', (request) => {
        lists += Number(request.url().includes('/api/identities/search?'));
      });
      await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
      await page.clock.runFor(1_000);
      await page.getByText('Unable to reach upstream service.').waitFor();
      const asked = lists;
      await page.clock.runFor(5_000);
      await page.getByText('failed a moment ago but is responding now. Try again.').waitFor();
      await page.clock.runFor(3_600_000);
      assert.equal(lists, asked, 'nobody saw it away: it may fail for ever');
    }));

  it('keeps the server’s message when the check is unavailable', () =>
    onPage(intercepted, '/dashboard', async ({ page, context, expect }) => {
      expect(502, /^\/api\//);
      expect(404, /^\/api\/services\//);
      await context.route('**/api/services/*', (route) => route.fulfill({ status: 404, json: { error: 'not_found' } }));
      await context.route('**/api/identities/search?*', (route) =>
        route.fulfill({ status: 502, json: { error: 'bad_gateway', message: 'Unable to reach upstream service.' } }),
      );
      await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
      await page.getByText('Unable to reach upstream service.').waitFor();
    }));

  it('shows no green dot for an address that is merely configured', () =>
    onPage(intercepted, '/system', async ({ page }) => {
      const configured = page.getByRole('cell', { name: 'Configured', exact: true });
      await configured.first().waitFor();
      assert.equal(await configured.locator('[data-status=good]').count(), 0);
    }));
});
