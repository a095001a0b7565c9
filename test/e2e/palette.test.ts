import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the palette, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const field = (page: Page) => page.getByPlaceholder('Page or action');
  const arrivesAt = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  /** @returns releases it */
  const holdPalette = async (context: BrowserContext): Promise<() => void> => {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await context.route(/\/assets\/palette.*\.js/, async (route) => {
      await held;
      await route.continue();
    });
    return letGo;
  };

  it('takes what is typed while it loads', () =>
    onPage(intercepted, '/dashboard', async ({ page, context }) => {
      const letGo = await holdPalette(context);
      await page.reload();
      await arrivesAt(page, 'Overview');
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gsyz');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('s?');
      letGo();
      await field(page).waitFor();
      await becomes(() => field(page).inputValue(), 'gsys?');
      await becomes(() => new URL(page.url()).pathname, '/dashboard');
    }));

  it('opens again at once after Esc', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      await page.keyboard.press('Control+k');
      await field(page).fill('abc');
      for (let time = 0; time < 5; time += 1) {
        await page.keyboard.press('Escape');
        // Immediately, leaving no time for a transition.
        await page.keyboard.press('Control+k');
        await field(page).waitFor();
        await page.keyboard.type('x');
        await becomes(() => field(page).inputValue(), 'x');
      }
    }));

  it('searches, which is recorded, once for what is typed without a pause, and not for fewer than three characters', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      const searches: (string | null)[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname === '/api/identities/search') searches.push(searchParams.get('q'));
      });
      // Before the palette opens: a clock cannot clear the timers that were there before it.
      await page.clock.install();
      await page.keyboard.press('Control+k');
      await field(page).waitFor();
      await page.clock.pauseAt(Date.now() + 60_000);
      await field(page).fill('qq');
      await page.clock.runFor(1_000);
      await page.keyboard.type('z@ex');
      await page.clock.runFor(399);
      await page.keyboard.type('a');
      await page.clock.runFor(399);
      assert.deepEqual(searches, []);
      await page.clock.runFor(1);
      await page.clock.resume();
      await becomes(() => searches, ['qqz@exa']);
    }));
});
