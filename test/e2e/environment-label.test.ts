import { assertAccessible, assertFits } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('the label of an environment, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ env: { ENVIRONMENT_LABEL: 'staging <EU>' } });
    session = await dashboard.signIn('viewer');
  });
  after(() => dashboard?.close());

  for (const [label, colour] of [
    ['staging <EU>', 'rgb(255, 212, 59)'],
    ['PROD eu-1', 'rgb(201, 42, 42)'],
  ] as const) {
    it(`"${label}" stands in header and tab title in its own colour, for viewers too`, async () => {
      await dashboard.restart({ ENVIRONMENT_LABEL: label });
      await signedInVisit(dashboard, session, { path: '/dashboard', heading: 'Overview' }, async ({ page }) => {
        await becomes(() => page.title(), `Overview · Customer identity · ${label}`);
        const shown = page.getByRole('banner').getByText(label);
        const painted = () => shown.evaluate((element) => getComputedStyle(element).backgroundColor);
        await becomes(() => painted(), colour);
        await assertAccessible(page, 'the header', { only: ['color-contrast'] });
        await page.emulateMedia({ colorScheme: 'dark' });
        await becomes(() => painted(), colour);
        await page.setViewportSize({ width: 360, height: 740 });
        await becomes(() => shown.isVisible(), true);
        await assertFits(page, 'the header');
      });
    });
  }
});
