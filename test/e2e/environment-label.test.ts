import { assertAccessible, assertFits } from '../support/axe.ts';
import { ofBrowserSuite, signedInVisit } from '../support/browser.ts';
import { indexReady, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('the environment label', () => {
  const dashboard = ofBrowserSuite(() => startDashboard({ env: { ENVIRONMENT_LABEL: 'PROD <eu>' } }));
  // Until the index is ready, requests for the overview's map fail, and the browser reports each failure.
  before(async () => indexReady(dashboard, await dashboard.signIn('admin')));

  it('is displayed in the tab title and, in its own colour, in the header, also on a phone', async () =>
    signedInVisit(
      dashboard,
      await dashboard.signIn('viewer'),
      { path: '/dashboard', heading: 'Overview' },
      async ({ page }) => {
        await eventually(() => page.title(), 'Overview · Customer identity · PROD <eu>');
        const label = page.getByRole('banner').getByText('PROD <eu>');
        const colour = () => label.evaluate((element) => getComputedStyle(element).backgroundColor);
        await eventually(colour, 'rgb(201, 42, 42)');
        await assertAccessible(page, 'the header', { only: ['color-contrast'] });
        await page.emulateMedia({ colorScheme: 'dark' });
        await eventually(colour, 'rgb(201, 42, 42)');
        await page.setViewportSize({ width: 360, height: 740 });
        await eventually(() => label.isVisible(), true);
        await assertFits(page, 'the header');
      },
    ));
});
