import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
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

describe('the app shell', () => {
  const suite = interceptedDashboardOfSuite({ people: 30 });
  let ada: Person;
  before(async () => {
    ada = await createPerson(suite);
  });
  const onOverview = (work: (page: Page) => Promise<void>): Promise<void> =>
    onPage(suite, { path: '/dashboard', heading: 'Overview' }, ({ page }) => work(page));
  const account = (page: Page): Locator => page.getByRole('button', { name: 'admin@example.com' });
  const menu = (page: Page): Locator => page.getByRole('menu', { name: 'admin@example.com' });

  it('starts with a link that skips the navigation, and moves the focus to the heading of the next page', () =>
    onOverview(async (page) => {
      await page.keyboard.press('Tab');
      await assertFocused(page, 'Skip to content');
      await page.keyboard.press('Enter');
      await eventually(() => page.evaluate(() => document.activeElement?.id), 'content');
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await assertFocused(page, 'Settings');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('syst');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      await page.getByPlaceholder('Page or action').waitFor({ state: 'detached' });
      await eventually(() => page.title(), 'System · Customer identity');
    }));

  it('remembers the colour scheme, the height of rows and the time zone, and applies the time zone to requests and displayed times', () =>
    onOverview(async (page) => {
      const starts: string[] = [];
      page.on('request', (request) => {
        const start = new URL(request.url()).searchParams.get('created_from');
        if (start !== null) starts.push(start);
      });
      await account(page).click();
      await menu(page).getByRole('menuitemradio', { name: 'Dark' }).click();
      await menu(page).getByRole('menuitemcheckbox', { name: 'Compact rows' }).click();
      await menu(page)
        .getByRole('menuitem', { name: /^Time zone/ })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Time zone' });
      await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await Promise.all([
        page.waitForEvent('load'),
        dialog.getByRole('button', { name: 'Use this time zone' }).click(),
      ]);
      await eventually(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']), 'dark');
      await page.goto(`${suite.dashboard.baseUrl}/identities?created=2026-01-05..2026-01-06`);
      await page.getByRole('button', { name: /^Created:? .*5 Jan.* 6 Jan/ }).waitFor();
      await eventually(() => starts.at(-1), '2026-01-04T15:00:00.000Z');
      await page.goto(`${suite.dashboard.baseUrl}/identities`);
      const height = async () => Math.round((await listRows(page).first().boundingBox())?.height ?? 0);
      await eventually(height, 36, 'compact rows');
      await account(page).click();
      await menu(page).getByRole('menuitemcheckbox', { name: 'Compact rows' }).click();
      await eventually(height, 44, 'comfortable rows');
      await page.goto(`${suite.dashboard.baseUrl}/security/audit?from=2026-01-31T20:00:00Z`);
      await eventually(
        () => page.locator('main time').first().getAttribute('title'),
        /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC\+9$/,
      );
      await page.getByRole('button', { name: /^When: from 1 Feb(?: 2026)?, 05:00$/ }).waitFor();
    }));

  it('collapses the navigation to named icons with a key, also after a reload, and expands it with a button', () =>
    onOverview(async (page) => {
      const navigation = page.getByRole('navigation', { name: 'Pages' });
      const link = navigation.getByRole('link', { name: 'Overview', exact: true });
      const width = async (): Promise<number> => (await navigation.boundingBox())?.width ?? 0;
      await link.waitFor();
      await page.keyboard.press('[');
      await eventually(async () => (await width()) < 64, true);
      await page.reload();
      await eventually(async () => (await width()) < 64, true);
      await eventually(() => link.getAttribute('aria-current'), 'page');
      await link.focus();
      await eventually(async () => ((await link.getByText('Overview').boundingBox())?.width ?? 0) > 48, true);
      await navigation.getByRole('button', { name: 'Expand navigation' }).press('Enter');
      await eventually(async () => (await width()) > 200, true);
      await assertFocused(page, 'Collapse navigation');
    }));

  it('keeps the focus in a dialog while its button is disabled, and returns it to the button after a failure', () =>
    onPage(suite, `/identities/${ada.id}`, async ({ page, expect }) => {
      expect(500, /^\/api\/identity-admin\//);
      await page.getByRole('heading', { level: 1, name: ada.name }).waitFor();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      suite.upstream.before = async ({ method }) => {
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

  it('moves the focus to the heading when the bulk action bar disappears', () =>
    onPage(suite, '/identities', async ({ page, expect }) => {
      // Kratos responds 404 if there were no sessions to end.
      expect(404, /\/sessions$/);
      await listRows(page).filter({ hasText: ada.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Clear', exact: true }).press('Enter');
      await assertFocused(page, 'Identities');
      await listRows(page).filter({ hasText: ada.name }).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Deactivate…' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate 1 identity' }).press('Enter');
      await page.getByText('Deactivated 1 identity').waitFor();
      await assertFocused(page, 'Identities');
    }));

  it('covers with a toast neither the pager nor the row that has the focus', () =>
    onPage(suite, '/identities?columns=id', async ({ page }) => {
      const toast = page.getByText(/^Copied the ID/);
      /** Whether the element is below the toast; false once the toast has disappeared. */
      const isCovered = async (other: Locator): Promise<boolean> => {
        const [above, below] = await Promise.all([
          toast.boundingBox({ timeout: 100 }).catch(() => null),
          other.boundingBox(),
        ]);
        return above !== null && below !== null && below.y + below.height > above.y && below.y < above.y + above.height;
      };
      const row = listRows(page).last();
      await row.getByRole('button', { name: /^Copy the ID/ }).click();
      await toast.waitFor();
      assert.ok(!(await isCovered(page.getByRole('group', { name: 'Paging' }))), 'the pager');
      assert.ok(!(await isCovered(row)), 'the focused row');
      await listRows(page).nth(5).focus();
      await row.focus();
      assert.ok(!(await isCovered(row)), 'a row that gets the focus later');
    }));

  it('shows more columns on a wide screen, unless the operator has chosen columns', () =>
    onPage(suite, '/identities', async ({ page }) => {
      const heads = () => page.getByRole('columnheader').allTextContents();
      const usual = ['', 'Identity', 'State', 'Last sign-in', 'Created'];
      await page.setViewportSize({ width: 1440, height: 900 });
      await eventually(heads, usual);
      await page.setViewportSize({ width: 1920, height: 900 });
      await eventually(heads, [...usual, 'Updated', 'ID']);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByLabel('Updated').uncheck();
      await eventually(heads, [...usual, 'ID']);
      await page.setViewportSize({ width: 1440, height: 900 });
      await eventually(heads, [...usual, 'ID'], 'the chosen columns');
    }));

  it('lists all keyboard shortcuts without scrolling on a screen of 900 px', () =>
    onOverview(async (page) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await sheet.getByText('Next and previous page').waitFor();
      await eventually(() => sheet.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight), 0);
    }));

  it('returns the focus to the row when the palette or a dialog is closed, and moves it to the heading of a page opened with Enter', () =>
    onPage(suite, '/identities', async ({ page }) => {
      await listRows(page).nth(3).focus();
      const row = await focused(page);
      await page.keyboard.press('Control+k');
      await closeDialog(page);
      await assertFocused(page, row);
      await page.keyboard.press('?');
      await closeDialog(page);
      await assertFocused(page, row);
      await page.getByLabel('Select viewer@example.com').check();
      await page.getByRole('button', { name: 'Deactivate…' }).click();
      await closeDialog(page);
      await assertFocused(page, 'Deactivate…');
      await listRows(page).filter({ hasText: ada.name }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: ada.name }).waitFor();
      await assertFocused(page, ada.name);
      await page.getByText('Dashboard Admin').click();
      await page.evaluate(() => document.querySelector('main')?.append('!'));
      await assertFocused(page, 'body');
    }));
});
