import { ofBrowserSuite, originsOf, signInAt, visiting } from '../support/browser.ts';
import { indexReady, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('two deployments with the same keys in one browser', () => {
  const customer = ofBrowserSuite(startDashboard);
  const workforce = ofBrowserSuite(() => startDashboard({ deployment: 'workforce' }));
  before(async () => {
    // Until the index is ready, requests for the overview's map fail, and the browser reports each failure.
    for (const dashboard of [customer, workforce]) await indexReady(dashboard, await dashboard.signIn('admin'));
  });

  it('have separate sessions, so signing in to or out of one leaves the other unchanged', async () => {
    await visiting({ origins: [customer, workforce].flatMap(originsOf) }, async ({ context, page, expect }) => {
      // The overview sends requests after the sign-out.
      expect(401, /^\/api\//);
      const workforceTab = await context.newPage();
      await signInAt(page, customer, 'admin');
      // The customer session is not valid at the workforce deployment, so credentials are required again.
      await signInAt(workforceTab, workforce, 'viewer');
      const roleAt = (tab: typeof page): Promise<string> =>
        tab.evaluate(async () => (await (await fetch('/api/auth/session')).json()).user?.role ?? 'none');
      await page.reload();
      await eventually(async () => [await roleAt(page), await roleAt(workforceTab)], ['admin', 'viewer']);
      await page.evaluate(() => fetch('/api/auth/logout', { method: 'POST' }));
      await eventually(async () => [await roleAt(page), await roleAt(workforceTab)], ['none', 'viewer']);
    });
  });
});
