import type { Locator } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { chooseAction, type Person, person, rows, search } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** A laptop's 1280 × 1024 pixels at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 };
const PHONE = { width: 390, height: 844 };

describe('phones and zoom, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  let somebody: Person;
  before(async () => {
    somebody = await person(intercepted);
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
  });

  it('close the navigation of a phone by Esc, and hand the focus back to its button', () =>
    onPage(
      intercepted,
      '/settings',
      async ({ page }) => {
        const burger = page.getByRole('button', { name: 'Navigation' });
        const navigation = page.getByRole('navigation', { name: 'Pages' });
        await burger.click();
        await navigation.getByRole('link', { name: 'Settings' }).focus();
        await page.keyboard.press('Escape');
        await navigation.waitFor({ state: 'hidden' });
        await becomes(() => burger.evaluate((button) => button === document.activeElement), true);
        await becomes(() => burger.getAttribute('aria-expanded'), 'false');
      },
      { viewport: PHONE },
    ));

  /** Scrolled into view, nothing covers its centre, once all has stopped moving. */
  const reachable = async (element: Locator): Promise<void> => {
    await element.waitFor();
    await becomes(
      async () => {
        await element.scrollIntoViewIfNeeded();
        return element.evaluate((target) => {
          const { x, y, width, height } = target.getBoundingClientRect();
          const hit = document.elementFromPoint(x + width / 2, y + height / 2);
          return hit !== null && (target.contains(hit) || hit.contains(target));
        });
      },
      true,
      String(element),
    );
  };

  it('leave everything reachable at 400 %: navigation, search, rows, dialogs, palette', () =>
    onPage(
      intercepted,
      '/identities',
      async ({ page }) => {
        const fits = () => becomes(() => page.evaluate(() => document.documentElement.scrollWidth), ZOOMED.width);
        await fits();
        await reachable(search(page));
        await reachable(page.getByRole('button', { name: 'Next page' }));
        await page
          .getByLabel(/^Select .*@/)
          .nth(1)
          .check();
        await reachable(rows(page).nth(20));
        await reachable(page.getByRole('button', { name: 'Deactivate', exact: true }));
        await page.evaluate(() => scrollTo(0, 0));
        await page.getByRole('button', { name: 'Navigation' }).click();
        await reachable(page.getByRole('link', { name: 'System' }));
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'admin@example.com' }).click();
        await reachable(page.getByRole('menuitem', { name: 'Sign out' }));
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Page or action').fill('s');
        await reachable(page.getByRole('option').last());
        await page.keyboard.press('Escape');
        await page.goto(`${intercepted.dashboard.baseUrl}/identities/${somebody.id}`);
        await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
        await chooseAction(page, /^Delete/);
        const dialog = page.getByRole('dialog');
        await reachable(dialog.getByRole('textbox'));
        await reachable(dialog.getByRole('button', { name: 'Cancel' }));
        await fits();
      },
      { viewport: ZOOMED },
    ));
});
