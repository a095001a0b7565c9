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
});
