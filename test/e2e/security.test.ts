import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the security pages', () => {
  const suite = interceptedDashboardOfSuite();

  it('collapse the passed checks of the posture', () =>
    onPage(suite, '/security', async ({ page }) => {
      const passing = page.getByRole('region', { name: 'Passing' });
      const fold = passing.getByText(/^Show \d+ checks without findings$/);
      await fold.waitFor();
      assert.equal(await passing.getByText('Passes').first().isVisible(), false);
      await fold.press('Enter');
      await passing.getByText('Passes').first().waitFor();
    }));

  it('keep the audit trail’s filters on reload and Back, without e-mail addresses in URLs, and export matching records', () =>
    onPage(suite, { path: '/security/audit', heading: 'Audit trail' }, async ({ page }) => {
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
    }));
});
