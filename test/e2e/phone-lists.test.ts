import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const PHONE = { width: 390, height: 844 };
/** Of the first screen, what stands above a list. */
const MOST = 400;

const TABLES = ['/identities?state=active', '/oauth/clients', '/sessions', '/messages', '/settings'];

describe('lists on a phone, in a browser', () => {
  const suite = interceptedDashboardOfSuite({ people: 40 });
  before(async () => {
    const { dashboard, sessions } = suite;
    await dashboard.call('/api/settings', { session: sessions.admin, json: { key: 'mail.from', value: 'x' } });
    await indexIsRead(dashboard, sessions.admin);
  });

  /** Texts that are cut off in cells of the list. A client without a name has its id in two columns, which can be copied. */
  const cutOff = (page: Page): Promise<(string | null)[]> =>
    page.locator('main tbody td').evaluateAll((cells) =>
      cells
        .filter((cell) => cell.scrollWidth > cell.clientWidth)
        .map(({ textContent }) => textContent)
        .filter((text) => !/^[\da-f-]{36}$/.test(text ?? '')),
    );

  it(`begin within the first ${MOST} pixels, with their filters folded, and show every text whole, on a desk too`, () =>
    onPage(
      suite,
      '/security/audit?action=login&from=168h',
      async ({ page }) => {
        const begins = async (row: string): Promise<void> => {
          await page.locator(row).first().waitFor();
          await becomes(async () => ((await page.locator(row).first().boundingBox())?.y ?? MOST) < MOST, true, row);
          await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
        };
        await begins('main ol > li');
        await becomes(() => page.getByRole('button', { name: /^Filter/ }).textContent(), 'Filter (2)');
        for (const path of TABLES) {
          await page.goto(`${suite.dashboard.baseUrl}${path}`);
          await begins('main tbody tr');
          await becomes(() => cutOff(page), [], path);
        }
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(`${suite.dashboard.baseUrl}/oauth/clients`);
        await page.locator('main tbody tr').nth(5).waitFor();
        await becomes(() => cutOff(page), []);
      },
      { viewport: PHONE },
    ));

  it('keep the menu of views within the screen', () =>
    onPage(
      suite,
      '/identities?state=active',
      async ({ page }) => {
        await page.locator('main tbody tr').first().waitFor();
        await page.getByRole('button', { name: 'Views', exact: true }).click();
        const menu = page.locator('[data-views] > div');
        await menu.locator('> *').first().waitFor();
        const isWithin = async (): Promise<boolean> => {
          const { x, width } = (await menu.boundingBox()) ?? assert.fail('no menu');
          return x >= 0 && x + width <= PHONE.width;
        };
        await becomes(isWithin, true);
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
      },
      { viewport: PHONE },
    ));
});
