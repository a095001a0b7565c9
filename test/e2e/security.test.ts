import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import { visitedPageOfSuite } from '../support/security-pages.ts';

describe('the pages of security, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite('/security', 'Security', { storeFromSandbox: true });
  const isFocused = (element: Element): boolean => element === document.activeElement;

  it('lead to each other by keyboard, and the posture folds what passes', () =>
    visited.visit(async ({ page }) => {
      const passing = page.getByRole('region', { name: 'Passing' });
      const fold = passing.getByText(/^Show \d+ checks without findings$/);
      await fold.waitFor();
      assert.equal(await passing.getByText('Passes').first().isVisible(), false);
      await fold.focus();
      await page.keyboard.press('Enter');
      await passing.getByText('Passes').first().waitFor();

      const tabs = page.getByRole('navigation', { name: 'Security' });
      for (const [tab, title] of [
        ['Audit trail', 'Audit trail'],
        ['Locked accounts', 'Locked accounts'],
        ['Operators', 'Operators'],
        ['Posture', 'Security'],
      ] as const) {
        const link = tabs.getByRole('link', { name: tab });
        await link.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
        await becomes(() => link.getAttribute('aria-current'), 'page');
        await becomes(() => link.evaluate(isFocused), true, tab);
        await becomes(() => page.title(), new RegExp(`^${title}`));
      }
    }));

  it('end sessions and unlock accounts by keyboard, and the focus stays on the page', async () => {
    await lockAccounts(visited.dashboard, ['sam@example.org']);
    const confirm = async (page: Page, button: string): Promise<void> => {
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: button, exact: true }).focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await becomes(() => page.evaluate(() => document.activeElement === document.body), false);
    };
    await visited.visit(
      async ({ page }) => {
        const row = page.getByRole('listitem').filter({ hasText: 'Viewer' });
        await row.getByRole('button', { name: 'End dashboard sessions of' }).press('Enter');
        await confirm(page, 'End dashboard sessions');
        await page.getByText('Dashboard sessions ended').waitFor();
        await page.getByRole('link', { name: 'Locked accounts' }).click();
        await page.getByRole('button', { name: 'Unlock sam@example.org' }).press('Enter');
        await confirm(page, 'Unlock');
        await page.getByText('Nobody is locked out').waitFor();
      },
      { path: '/security/operators', heading: 'Operators' },
    );
  });

  it('keep the filters of the audit trail through a reload and back, and save what they find', () =>
    visited.visit(
      async ({ page }) => {
        const addresses: string[] = [];
        page.on('framenavigated', (frame) => addresses.push(frame.url()));
        const records = page.getByRole('list', { name: 'Records, the latest first' }).getByRole('listitem');
        await page.getByLabel('What').selectOption('login');
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        await records.getByText('signed in as viewer').first().waitFor();
        await page.reload();
        await records.getByText('signed in as viewer').first().waitFor();
        await becomes(() => page.getByLabel('What').inputValue(), 'login');
        await page.getByLabel('Who').fill(` ${visited.dashboard.operator('admin').email.toUpperCase()} `);
        await page.keyboard.press('Enter');
        await records.getByText('signed in as viewer').first().waitFor({ state: 'detached' });
        await records.getByText('signed in as admin').first().waitFor();

        await page.getByRole('button', { name: 'Export…' }).press('Enter');
        await becomes(() => page.locator(':focus').textContent(), 'Export as CSV');
        const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
        const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
        assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.includes(',login,')));

        await page.goBack();
        await records.getByText('signed in as viewer').first().waitFor();
        await becomes(() => page.getByLabel('Who').inputValue(), '');
        assert.ok(addresses.length > 0 && addresses.every((address) => !/@|%40/.test(address)), addresses.join(' '));
      },
      { path: '/security/audit', heading: 'Audit trail' },
    ));
});
