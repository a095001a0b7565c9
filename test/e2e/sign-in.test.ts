import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, visiting } from '../support/browser.ts';
import { originsOf, signInAt, submitCredentials } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

/** A page without requests that could still be running when the session ends. */
const QUIET_PAGE = '/nowhere';

describe('signing in, in a browser', () => {
  let dashboard: Dashboard;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
  });
  after(() => dashboard?.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows accessible pages from the sign-in to the overview, in ${colorScheme} colours`, () =>
      visiting({ origins: originsOf(dashboard), colorScheme }, async ({ page }) => {
        await page.goto(`${dashboard.baseUrl}/`);
        await page.getByLabel('Password').waitFor();
        await assertAccessible(page, 'the sign-in page');
        await submitCredentials(page, dashboard.operator('admin'));
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await page.getByText(/^Customer identity\. Signed in as/).waitFor();
        await becomes(() => new URL(page.url()).pathname, '/dashboard');
        await becomes(() => page.title(), 'Overview · Customer identity');
      }));
  }

  it('comes up signed in although the provider is another site and the redirect carries no strict cookie', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      const [own, provider] = originsOf(dashboard);
      assert.notEqual(new URL(own ?? '').hostname, new URL(provider ?? '').hostname);
      const asked: string[] = [];
      context.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await signInAt(page, dashboard, 'admin');
      await page.getByText(dashboard.operator('admin').email).first().waitFor();
      const [cookie] = (await context.cookies(dashboard.baseUrl)).filter(({ name }) => name === 'dashboard-session');
      assert.equal(cookie?.sameSite, 'Strict');
      const afterCallback = asked.slice(asked.indexOf('/api/auth/callback'));
      assert.equal(afterCallback.filter((path) => path === '/api/auth/session').length, 1);
    }));

  it('comes back to the page that was asked for', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, expect }) => {
      expect(401, '/api/settings');
      await signInAt(page, dashboard, 'admin', '/settings?category=mail&q=smtp');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      const { pathname, searchParams } = new URL(page.url());
      assert.deepEqual([pathname, searchParams.get('category'), searchParams.get('q')], ['/settings', 'mail', 'smtp']);
    }));

  it('ends signed in in both of two tabs that signed in at once', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      const second = await context.newPage();
      await page.goto(`${dashboard.baseUrl}/`);
      await page.getByLabel('Password').waitFor();
      await second.goto(`${dashboard.baseUrl}/`);
      await second.getByLabel('Password').waitFor();
      const question = page.url();
      await submitCredentials(page, dashboard.operator('admin'));
      await page.waitForURL((url) => url.href !== question);
      // The second login's cookies replaced the first one's: that tab starts over, by itself or through its page.
      await page.getByRole('heading', { name: 'Overview' }).or(page.getByLabel('Password')).waitFor();
      if (await page.getByLabel('Password').isVisible()) {
        await submitCredentials(page, dashboard.operator('admin'));
      }
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await second.goto(`${dashboard.baseUrl}/`);
      await second.getByRole('heading', { name: 'Overview' }).waitFor();
    }));

  it('goes on in the dashboard when the operator goes back right after signing in', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context, expect }) => {
      expect(401, '/api/settings');
      await signInAt(page, dashboard, 'admin', '/settings');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      const asked: string[] = [];
      context.on('request', (request) => asked.push(request.url()));
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await becomes(() => new URL(page.url()).origin, dashboard.baseUrl);
      assert.deepEqual(
        asked.filter((url) => url.includes('/api/auth/login')),
        [],
      );
    }));

  it('does not come back to the sign-in it left for when the operator goes back from there', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, expect }) => {
      expect(401, '/api/settings');
      await page.goto(`${dashboard.baseUrl}/signed-out`);
      await page.goto(`${dashboard.baseUrl}/settings`);
      await page.getByLabel('Password').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    }));

  it('lands on a page that says so when the sign-in is declined, and asks for no session there', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      await page.goto(`${dashboard.baseUrl}/`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
      const asked: string[] = [];
      context.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await becomes(() => new URL(page.url()).searchParams.get('reason'), 'denied');
      await page.reload();
      await page.getByText('The request to sign in was declined.').waitFor();
      assert.ok(!asked.includes('/api/auth/session'), asked.join('\n'));
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await page.getByLabel('Password').waitFor();
    }));

  it('gains nothing from a callback that is replayed', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      const callbacks: string[] = [];
      context.on('request', (request) => {
        if (new URL(request.url()).pathname === '/api/auth/callback') callbacks.push(request.url());
      });
      await signInAt(page, dashboard, 'admin', QUIET_PAGE);
      await context.clearCookies({ name: 'dashboard-session' });
      await page.goto(callbacks[0] ?? '');
      await page.getByLabel('Password').waitFor();
      const cookies = await context.cookies(dashboard.baseUrl);
      assert.ok(!cookies.some(({ name }) => name === 'dashboard-session'));
    }));

  it('asks for credentials again after a sign-out', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      await signInAt(page, dashboard, 'admin', QUIET_PAGE);
      const [session] = (await context.cookies()).filter(({ name }) => name === 'dashboard-session');
      await page.getByRole('button', { name: dashboard.operator('admin').email }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      const replayed = await dashboard.call('/api/auth/session', { session: session?.value });
      assert.equal(replayed.status, 401);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await submitCredentials(page, dashboard.operator('viewer'));
      await page.getByText(dashboard.operator('viewer').email).first().waitFor();
    }));
});
