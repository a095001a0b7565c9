import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { lockAccounts } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the security pages', () => {
  const suite = interceptedDashboardOfSuite();

  it('can be navigated by keyboard, and collapse the passed checks of the posture', () =>
    onPage(suite, '/security', async ({ page }) => {
      const passing = page.getByRole('region', { name: 'Passing' });
      const fold = passing.getByText(/^Show \d+ checks without findings$/);
      await fold.waitFor();
      assert.equal(await passing.getByText('Passes').first().isVisible(), false);
      await fold.press('Enter');
      await passing.getByText('Passes').first().waitFor();
      const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Operators' });
      await link.press('Enter');
      const heading = page.getByRole('heading', { level: 1, name: 'Operators', exact: true });
      await eventually(() => link.getAttribute('aria-current'), 'page');
      await eventually(() => heading.evaluate((element) => element === document.activeElement), true);
      await eventually(() => page.title(), /^Operators/);
    }));

  it('end sessions and unlock accounts by keyboard without losing the focus', async () => {
    await lockAccounts(suite.dashboard, ['sam@example.org']);
    const confirm = async (page: Page, button: string): Promise<void> => {
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: button, exact: true }).focus();
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await eventually(() => page.evaluate(() => document.activeElement === document.body), false);
    };
    await onPage(
      suite,
      '/security/operators',
      async ({ page }) => {
        const row = page.getByRole('listitem').filter({ hasText: 'Viewer' });
        await row.getByRole('button', { name: 'End dashboard sessions of' }).press('Enter');
        await confirm(page, 'End dashboard sessions');
        await page.getByText(/^Ended the dashboard sessions of /).waitFor();
        await page.getByRole('link', { name: 'Locked accounts' }).click();
        await page.getByRole('button', { name: 'Unlock sam@example.org' }).press('Enter');
        await confirm(page, 'Unlock account');
        await page.getByText('Nobody is locked out').waitFor();
      },
      { heading: 'Operators' },
    );
  });

  it('keep the audit trail’s filters on reload and Back, without e-mail addresses in URLs, and export matching records', () =>
    onPage(
      suite,
      '/security/audit',
      async ({ page }) => {
        const addresses: string[] = [];
        page.on('framenavigated', (frame) => addresses.push(frame.url()));
        const records = page.getByRole('list', { name: 'Records, newest first' }).getByRole('listitem');
        const chip = (name: string) => page.getByRole('button', { name, exact: true });
        await chip('What: Changes only').click();
        await page.getByRole('option', { name: 'Sign-ins', exact: true }).click();
        await records.getByText('signed in as viewer').first().waitFor();
        await page.reload();
        await records.getByText('signed in as viewer').first().waitFor();
        await chip('What: Sign-ins').waitFor();
        await chip('+ Who').press('Enter');
        await page.getByRole('option', { name: 'You' }).waitFor();
        await page.keyboard.type(` ${suite.dashboard.operator('admin').email.toUpperCase()} `);
        await page.keyboard.press('Enter');
        await records.getByText('signed in as viewer').first().waitFor({ state: 'detached' });
        await records.getByText('signed in as admin').first().waitFor();
        await eventually(() => page.locator(':focus').textContent(), 'Who: You');

        await page.getByRole('button', { name: 'Export…' }).press('Enter');
        await eventually(() => page.locator(':focus').textContent(), 'Export matching records as CSV');
        const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
        const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
        assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.includes(',login,')));

        await page.getByText('Export complete').waitFor();
        await page.goBack();
        await records.getByText('signed in as viewer').first().waitFor();
        await chip('+ Who').waitFor();
        assert.ok(addresses.length > 0 && addresses.every((address) => !/@|%40/.test(address)), addresses.join(' '));
      },
      { heading: 'Audit trail' },
    ));
});
