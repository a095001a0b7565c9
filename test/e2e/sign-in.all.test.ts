import { ofBrowserSuite, originsOf, submitCredentials, visiting } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';

describe('signing in', () => {
  const dashboard = ofBrowserSuite(startDashboard);

  it('succeeds in both of two tabs that start it at the same time', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, context }) => {
      const second = await context.newPage();
      await page.goto(`${dashboard.baseUrl}/`);
      await page.getByLabel('Password').waitFor();
      await second.goto(`${dashboard.baseUrl}/`);
      await second.getByLabel('Password').waitFor();
      const signInUrl = page.url();
      await submitCredentials(page, dashboard.operator('admin'));
      await page.waitForURL((url) => url.href !== signInUrl);
      // The second sign-in replaced the first tab's cookies, so that tab starts again, by itself or at the sign-in page.
      await page.getByRole('heading', { name: 'Overview' }).or(page.getByLabel('Password')).waitFor();
      if (await page.getByLabel('Password').isVisible()) {
        await submitCredentials(page, dashboard.operator('admin'));
      }
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await second.goto(`${dashboard.baseUrl}/`);
      await second.getByRole('heading', { name: 'Overview' }).waitFor();
    }));

  it('can be cancelled with Back, which leads from the provider to the page before the redirect', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, expect }) => {
      expect(401, '/api/settings');
      await page.goto(`${dashboard.baseUrl}/signed-out`);
      await page.goto(`${dashboard.baseUrl}/settings`);
      await page.getByLabel('Password').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    }));
});
