import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { ofBrowserSuite, originsOf, signInAt, submitCredentials, visiting } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';

/** A page without requests that could still be running when the session ends. */
const QUIET_PAGE = '/nowhere';

describe('signing in', () => {
  const dashboard = ofBrowserSuite(startDashboard);

  it('returns to the requested page from a provider on another site, although the redirect carries no SameSite=Strict cookie', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context, expect }) => {
      expect(401, '/api/settings');
      const [own, provider] = originsOf(dashboard);
      assert.notEqual(new URL(own ?? '').hostname, new URL(provider ?? '').hostname);
      const requested: string[] = [];
      context.on('request', (request) => requested.push(new URL(request.url()).pathname));
      await page.goto(`${dashboard.baseUrl}/settings?category=mail&q=smtp`);
      await page.getByLabel('Password').waitFor();
      await assertAccessible(page, 'the sign-in page');
      await submitCredentials(page, dashboard.operator('admin'));
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await eventually(
        () => new URL(page.url()).pathname + new URL(page.url()).search,
        '/settings?category=mail&q=smtp',
      );
      await eventually(() => page.title(), 'Settings · Customer identity');
      await page.getByText(dashboard.operator('admin').email).first().waitFor();
      const [cookie] = (await context.cookies(dashboard.baseUrl)).filter(({ name }) => name === 'dashboard-session');
      assert.equal(cookie?.sameSite, 'Strict');
      const afterCallback = requested.slice(requested.indexOf('/api/auth/callback'));
      assert.equal(afterCallback.filter((path) => path === '/api/auth/session').length, 1);
    }));

  it('reports that the operator declined, on a page that does not request the session', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      await page.goto(`${dashboard.baseUrl}/`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
      const requested: string[] = [];
      context.on('request', (request) => requested.push(new URL(request.url()).pathname));
      await eventually(() => new URL(page.url()).searchParams.get('reason'), 'denied');
      await page.reload();
      await page.getByText('The sign-in request was declined.').waitFor();
      assert.ok(!requested.includes('/api/auth/session'), requested.join('\n'));
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await page.getByLabel('Password').waitFor();
    }));

  it('requires credentials again after a sign-out', () =>
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

  it('replaces another operator’s session in other tabs, which report its end and name the new operator', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      await signInAt(page, dashboard, 'admin', QUIET_PAGE);
      const value = await dashboard.signIn('viewer');
      await context.addCookies([{ name: 'dashboard-session', value, url: dashboard.baseUrl, sameSite: 'Strict' }]);
      const secondTab = await context.newPage();
      await secondTab.goto(`${dashboard.baseUrl}${QUIET_PAGE}`);
      await page.getByText('Your session has ended.').waitFor();
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.getByRole('button', { name: dashboard.operator('viewer').email }).waitFor();
    }));

  it('makes the page /signed-out report that the operator is signed in', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page }) => {
      await signInAt(page, dashboard, 'viewer', QUIET_PAGE);
      await page.goto(`${dashboard.baseUrl}/signed-out`);
      await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
      await page.getByText(dashboard.operator('viewer').email).waitFor();
      await page.getByRole('link', { name: 'Go to the overview' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }));
});
