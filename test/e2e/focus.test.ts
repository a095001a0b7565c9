import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { chooseAction, type Person, person, rows } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Name or text of the focused element; `body` if there is none. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return 'body';
    return activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '';
  });
const isFocused = (page: Page, on: string): Promise<void> => eventually(() => focused(page), on);

const closes = async (page: Page): Promise<void> => {
  const dialog = page.locator('[role=dialog]:visible, dialog[open]').last();
  await dialog.waitFor();
  // It takes the focus once it listens to keys.
  await page.waitForFunction(() => document.activeElement?.closest('[role=dialog], dialog[open]') != null);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
};

describe('the focus never falls to the page itself, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  let somebody: Person;
  before(async () => {
    somebody = await person(intercepted);
  });

  it('stays in a dialog whose button is disabled while it works, and returns to the button after a failure', () =>
    onPage(intercepted, `/identities/${somebody.id}`, async ({ page, expect }) => {
      expect(500, /^\/api\/identity-admin\//);
      await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      intercepted.upstream.before = async ({ method }) => {
        if (method !== 'PATCH') return undefined;
        await held;
        return { status: 500, body: '{"error":"x"}' };
      };
      await chooseAction(page, /^Deactivate/);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Deactivate' }).press('Enter');
      await page.waitForFunction(() => document.querySelector('[role=dialog] [type=submit]:disabled') !== null);
      await page.evaluate(() => document.body.append(document.createElement('i')));
      await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') != null);
      letGo();
      await dialog.getByRole('alert').waitFor();
      await isFocused(page, 'Deactivate');
      await closes(page);
      await isFocused(page, 'More actions');
    }));

  it('goes to the heading when the selection ends, with the bar of its actions', () =>
    onPage(intercepted, '/identities', async ({ page, expect }) => {
      // The identity service answers so where there were no sessions to end.
      expect(404, /\/sessions$/);
      await rows(page).filter({ hasText: somebody.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter');
      await isFocused(page, 'Identities');
      await rows(page).filter({ hasText: somebody.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Deactivate', exact: true }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate 1 identity' }).press('Enter');
      await page.getByText('Deactivated 1 identity').waitFor();
      await isFocused(page, 'Identities');
    }));

  it('returns to the row from the palette and the keys, goes to the heading of a page opened by Enter, and stays away after a click elsewhere', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).nth(3).focus();
      const row = await focused(page);
      await page.keyboard.press('Control+k');
      await closes(page);
      await isFocused(page, row);
      await page.keyboard.press('?');
      await closes(page);
      await isFocused(page, row);
      await page.getByLabel('Select viewer@example.com').check();
      await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
      await closes(page);
      await isFocused(page, 'Deactivate');
      await rows(page).filter({ hasText: somebody.name }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
      await isFocused(page, somebody.name);
      await page.getByText('Dashboard Admin').click();
      await page.evaluate(() => document.querySelector('main')?.append('!'));
      await isFocused(page, 'body');
    }));
});
