import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { submitCredentials } from '../support/browser.ts';
import { ada, editing, save } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('a session that ended under an open page, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'You are signed out' });

  it('is said in sight, far down the page too, saves nothing, and goes on after a sign-in in another tab', async () => {
    const identity = await ada(intercepted);
    await editing(
      intercepted,
      identity,
      async ({ page, context, expect }) => {
        expect(401, /^\/api\//);
        await page.getByLabel('First name').fill('Grace');
        await context.clearCookies({ name: 'dashboard-session' });
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        await save(page);
        await banner(page).waitFor();
        const isInSight = async (): Promise<boolean> => {
          const { y, height } = (await banner(page).boundingBox()) ?? assert.fail('no banner');
          return y >= 0 && y + height <= 500;
        };
        await becomes(isInSight, true);
        const note = page.locator('form').getByText('Not saved: your session has ended.');
        const distance = async (): Promise<number> => {
          const [noted, button] = await Promise.all(
            [note, page.getByRole('button', { name: 'Save' })].map((place) => place.boundingBox()),
          );
          return Math.abs((noted?.y ?? 0) - (button?.y ?? 1_000));
        };
        await note.waitFor();
        await becomes(async () => (await distance()) < 160, true, 'it stands at the button that was pressed');
        // Also where the admin prefixes are open to this network.
        assert.deepEqual(
          intercepted.upstream.seen.filter(({ method }) => method !== 'GET'),
          [],
        );

        const opened = context.waitForEvent('page');
        await banner(page).getByRole('link', { name: 'Sign in in a new tab' }).click();
        const tab = await opened;
        await submitCredentials(tab, intercepted.dashboard.operator('admin'));
        await tab.getByRole('heading', { name: 'Overview' }).waitFor();
        await tab.close();
        await page.evaluate(() => dispatchEvent(new Event('focus')));
        await banner(page).waitFor({ state: 'detached' });
        await save(page);
        await page.getByRole('heading', { level: 1, name: 'Grace Old' }).waitFor();
      },
      { viewport: { width: 1280, height: 500 } },
    );
  });
});
