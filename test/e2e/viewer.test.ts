import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, visiting } from '../support/browser.ts';
import { originsOf, signInAt } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('a viewer, in a browser', function () {
  this.timeout(30_000);
  let dashboard: Dashboard;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ deployment: 'workforce' });
  });
  after(() => dashboard?.close());

  it("sees a calm panel with the server's own words on a page for administrators", () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page, expect }) => {
      expect(403, '/api/settings');
      await signInAt(page, dashboard, 'viewer');
      await assertAccessibleInAllLooks(page, "the viewer's overview");
      await page.getByRole('link', { name: 'Settings (for administrators)' }).click();
      await page.getByText('Admin access required.').waitFor();
      await page.getByText('Contact your administrator to request access.').waitFor();
      await becomes(() => page.title(), 'Settings · Workforce identity');
      const action = page.getByRole('button', { name: 'New setting' });
      await becomes(() => action.getAttribute('aria-disabled'), 'true');
      await becomes(() => action.getAttribute('title'), /./);
      await assertAccessibleInAllLooks(page, "the viewer's settings");
    }));
});
