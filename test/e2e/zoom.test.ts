import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { chooseAction, person, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** A laptop's 1280 × 1024 pixels at 400 % (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 };
const PHONE = { width: 390, height: 844 };

describe('keys, phones and zoom, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });

  it('take the slash to the search of a page, and leave it alone in a field', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).nth(2).focus();
      await page.keyboard.press('/');
      await page.keyboard.type('a/b');
      await becomes(() => search(page).inputValue(), 'a/b');
      await intercepted.dashboard.call('/api/settings', {
        session: intercepted.sessions.admin,
        json: { key: 'mail.smtp.host', value: 'x' },
      });
      await page.goto(`${intercepted.dashboard.baseUrl}/settings`);
      await page.getByText('1 setting').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('smtp');
      await becomes(() => page.getByLabel('Key contains').inputValue(), 'smtp');
    }));

  it('are listed, those of tables too, by the question mark, also from a ticked box', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).first().getByRole('checkbox').focus();
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog');
      for (const what of [
        'Search or jump to',
        'Search on this page',
        'Select the row',
        'Next and previous page',
        'Settings',
      ])
        await sheet.getByText(what, { exact: true }).waitFor();
    }));

  it('close the navigation of a phone by Esc, and hand the focus back to its button', () =>
    onPage(
      intercepted,
      '/identities',
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

  /** Scrolled into view, nothing covers its centre. */
  const reachable = async (element: Locator): Promise<void> => {
    await element.scrollIntoViewIfNeeded();
    const onTop = await element.evaluate((target) => {
      const { x, y, width, height } = target.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      return hit !== null && (target.contains(hit) || hit.contains(target));
    });
    assert.ok(onTop, String(element));
  };

  it('leave everything reachable at 400 %: navigation, search, rows, dialogs, palette', async () => {
    const somebody = await person(intercepted);
    await onPage(
      intercepted,
      '/identities',
      async ({ page }) => {
        const wide = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
        await becomes(() => wide(), ZOOMED.width);
        await rows(page).nth(20).waitFor();
        await reachable(search(page));
        await reachable(page.getByRole('button', { name: 'Next page' }));
        await reachable(rows(page).nth(20));
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
        await becomes(() => wide(), ZOOMED.width);
      },
      { viewport: ZOOMED },
    );
  });
});
