import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes, until } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';
import { isWatched, outage, sevenDaysOf } from '../support/questions.ts';

const PATIENCE_MS = 45_000;

describe('what is down, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({
    service: 'OAUTH_ADMIN_URL',
    env: { PROXY_TIMEOUT_MS: '1000' },
    watchPace: { firstMs: 1, everyMs: 200 },
  });
  const visit = (path: string, work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(intercepted, path, work, looks);
  const said = (page: Page) => page.getByRole('status').filter({ hasText: / down/ });

  const state = (name: ServiceName, more: Partial<ServiceState> = {}): ServiceState => ({
    name,
    status: 'up',
    version: null,
    latency_ms: 5,
    problem: null,
    checked_at: new Date().toISOString(),
    since: null,
    ...more,
  });
  /** The services are said to be as the list says when it is asked. */
  const given = ({ context }: Visit, services: () => ServiceState[]): Promise<unknown> =>
    context.route('**/api/services', (route) => route.fulfill({ json: { services: services() } satisfies Services }));
  const down = (since: string | null): Partial<ServiceState> => ({
    status: 'down',
    problem: 'unreachable',
    latency_ms: null,
    since,
  });
  const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

  it('is told from the overview on: since when Hydra is down, and whom it hurts; it goes by itself', () =>
    visit('/dashboard', async ({ page, expect }) => {
      expect(504, /^\/api\//);
      expect(502, /^\/api\//);
      await isWatched(intercepted.dashboard, intercepted.sessions.admin, { service: 'oauth-admin' });
      intercepted.upstream.before = () => 'silence';
      // 1: the overview says it.
      await outage(page)
        .getByText(/OAuth 2\.0 admin has been down since \d\d:\d\d, less than a minute\./)
        .waitFor({ timeout: PATIENCE_MS });
      await outage(page).getByText('OAuth2 clients, consents and tokens cannot be read.').waitFor();
      await said(page).waitFor({ state: 'attached' });
      await page
        .getByRole('listitem')
        .filter({ hasText: 'OAuth 2.0 admin' })
        .getByText(/Down, slow, since \d\d:\d\d, less than a minute/)
        .waitFor();
      // 2: where it says to look.
      await outage(page).getByRole('link', { name: 'See System' }).click();
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'OAuth 2.0 admin' });
      await row.getByText(/^since \d\d:\d\d, less than a minute$/).waitFor();
      const ofHydra = sevenDaysOf(page, 'OAuth 2.0 admin');
      await ofHydra.getByText(/^Once down, less than a minute: now, since \d\d:\d\d\. First looked at/).waitFor();
      await sevenDaysOf(page, 'Database')
        .getByText(/^Up all the time\./)
        .waitFor();
      await assertAccessibleInAllLooks(page, 'the system page during an outage');
      // 3: what it hurts says the same.
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'OAuth2 clients' }).click();
      await page
        .getByText(/Down since \d\d:\d\d, /)
        .first()
        .waitFor({ timeout: PATIENCE_MS });
      await outage(page).waitFor();
      intercepted.upstream.calm();
      await outage(page).waitFor({ state: 'detached', timeout: PATIENCE_MS });
      await becomes(() => said(page).innerText(), 'Nothing is down any more.');
      await page.goBack();
      await ofHydra.getByText(/^Once down, .*: \d\d:\d\d for /).waitFor({ timeout: PATIENCE_MS });
    }));

  it('is one line however much is down, in every look, and without a time as long as none is known', () =>
    visit(
      '/settings',
      async (visited) => {
        const { page } = visited;
        const anHour = ago(3_700_000);
        let services = [state('oauth', down(anHour)), state('database', down(ago(100_000))), state('geo')];
        await given(visited, () => services);
        await page.reload();
        await outage(page)
          .getByText(/^Database and OAuth 2\.0 have been down since .*\d\d:\d\d, one hour\.$/)
          .waitFor({ timeout: PATIENCE_MS });
        await outage(page)
          .getByText(/Settings, the audit trail and sign-ins fail\. Signing in through it fails\./)
          .waitFor();
        await assertAccessibleInAllLooks(page, 'a page during an outage');
        services = (['identity', 'identity-admin', 'oauth', 'oauth-admin', 'operators'] as const).map((name) =>
          state(name, down(null)),
        );
        await page.reload();
        await outage(page)
          .getByText(/^Operators’ store, Identity admin, OAuth 2\.0 and two more are down\.$/)
          .waitFor({ timeout: PATIENCE_MS });
      },
      { heading: 'Settings' },
    ));

  it('is counted in minutes, which are not announced', () =>
    visit('/settings', async (visited) => {
      const { page } = visited;
      const since = ago(90_000);
      await given(visited, () => [state('oauth', down(since))]);
      await page.clock.install();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await page.clock.runFor(4_000);
      await outage(page)
        .getByText(/, one minute\./)
        .waitFor();
      const words = await said(page).innerText();
      assert.match(words, /^OAuth 2\.0 has been down since [^.]+\. Signing in/);
      await page.clock.runFor(120_000);
      await outage(page)
        .getByText(/, three minutes\./)
        .waitFor();
      assert.equal(await said(page).innerText(), words);
    }));

  it('is asked for every half minute while the page is looked at, and not once the session has ended', () =>
    visit('/settings', async (visited) => {
      const { page, context, expect } = visited;
      expect(401, /^\/api\//);
      let asked = 0;
      await given(visited, () => {
        asked += 1;
        return [state('geo')];
      });
      await page.clock.install();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await page.clock.runFor(4_000);
      await until(() => asked > 0);
      const isAskedAgain = async (): Promise<void> => {
        const before = asked;
        // The half minute begins when the page has its last answer, which may be after the clock was turned.
        await until(async () => {
          await page.clock.runFor(1_000);
          return asked > before;
        });
      };
      await isAskedAgain();
      await isAskedAgain();
      assert.equal(await outage(page).count(), 0);
      const turn = (visibility: DocumentVisibilityState): Promise<void> =>
        page.evaluate((state) => {
          Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
          document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
        }, visibility);
      await turn('hidden');
      let before = asked;
      await page.clock.runFor(120_000);
      assert.equal(asked, before, 'it asks though nobody looks');
      await turn('visible');
      await isAskedAgain();
      await context.clearCookies();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Identities' }).click();
      await page.getByText('You are signed out').waitFor();
      before = asked;
      await page.clock.runFor(120_000);
      assert.equal(asked, before, 'it asks without a session');
    }));

  it('is nothing to a viewer beside the services themselves', () =>
    visit(
      '/system',
      async (visited) => {
        const { page } = visited;
        const since = ago(330_000);
        await given(visited, () => [state('oauth', down(since))]);
        await page.clock.install();
        await page.reload();
        await page.clock.runFor(6_000);
        await page
          .getByRole('row')
          .filter({ hasText: 'OAuth 2.0' })
          .getByText(/^since .*, five minutes$/)
          .waitFor();
        await page.clock.runFor(60_000);
        assert.equal(await outage(page).count(), 0);
      },
      { role: 'viewer' },
    ));
});
