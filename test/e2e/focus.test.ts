import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { chooseAction, createPerson, listRows, type Person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Name or text of the focused element; `body` if there is none. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return 'body';
    return activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '';
  });
const assertFocused = (page: Page, name: string): Promise<void> => eventually(() => focused(page), name);

const closeDialog = async (page: Page): Promise<void> => {
  const dialog = page.locator('[role=dialog]:visible, dialog[open]').last();
  await dialog.waitFor();
  // A dialog listens to keys only once it has the focus.
  await page.waitForFunction(() => document.activeElement?.closest('[role=dialog], dialog[open]') != null);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
};

describe('keyboard focus', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  let ada: Person;
  before(async () => {
    ada = await createPerson(intercepted);
  });

  it('stays in a dialog while its button is disabled, and returns to the button after a failure', () =>
    onPage(intercepted, `/identities/${ada.id}`, async ({ page, expect }) => {
      expect(500, /^\/api\/identity-admin\//);
      await page.getByRole('heading', { level: 1, name: ada.name }).waitFor();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      intercepted.upstream.before = async ({ method }) => {
        if (method !== 'PATCH') return undefined;
        await released;
        return { status: 500, body: '{"error":"x"}' };
      };
      await chooseAction(page, /^Deactivate/);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Deactivate' }).press('Enter');
      await page.waitForFunction(() => document.querySelector('[role=dialog] [type=submit]:disabled') !== null);
      await page.evaluate(() => document.body.append(document.createElement('i')));
      await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') != null);
      release();
      await dialog.getByRole('alert').waitFor();
      await assertFocused(page, 'Deactivate');
      await closeDialog(page);
      await assertFocused(page, 'More actions');
    }));

  it('moves to the heading when the bulk action bar disappears', () =>
    onPage(intercepted, '/identities', async ({ page, expect }) => {
      // Kratos responds 404 if there were no sessions to end.
      expect(404, /\/sessions$/);
      await listRows(page).filter({ hasText: ada.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter');
      await assertFocused(page, 'Identities');
      await listRows(page).filter({ hasText: ada.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Deactivate', exact: true }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate 1 identity' }).press('Enter');
      await page.getByText('Deactivated 1 identity').waitFor();
      await assertFocused(page, 'Identities');
    }));

  it('returns to the row when the palette or a dialog is closed, and moves to the heading of a page opened with Enter', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await listRows(page).nth(3).focus();
      const row = await focused(page);
      await page.keyboard.press('Control+k');
      await closeDialog(page);
      await assertFocused(page, row);
      await page.keyboard.press('?');
      await closeDialog(page);
      await assertFocused(page, row);
      await page.getByLabel('Select viewer@example.com').check();
      await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
      await closeDialog(page);
      await assertFocused(page, 'Deactivate');
      await listRows(page).filter({ hasText: ada.name }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: ada.name }).waitFor();
      await assertFocused(page, ada.name);
      await page.getByText('Dashboard Admin').click();
      await page.evaluate(() => document.querySelector('main')?.append('!'));
      await assertFocused(page, 'body');
    }));
});
