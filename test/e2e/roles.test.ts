import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { needsChromium, originsOf, signInAt, visiting } from '../support/browser.ts';
import { lockAccounts, startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { readIdentities } from '../support/sandbox-fixture.ts';

describe('the day of a role', () => {
  needsChromium();
  const dashboard = ofSuite(() =>
    startDashboard({ events: true, locks: true, env: { EXTRA_ROLES: 'support,auditor' }, sandbox: { people: 60 } }),
  );
  let email: string;
  before(async () => {
    const adminUrl = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
    for (const { id, state } of await readIdentities(adminUrl)) {
      const response = await fetch(`${adminUrl}/admin/identities/${id}`);
      const { credentials, traits } = (await response.json()) as { credentials: object; traits: { email: string } };
      if (state === 'active' && 'totp' in credentials) email = traits.email;
    }
    await dashboard.failToSignIn(email);
    await lockAccounts(dashboard, [email]);
  });

  /** Signs in, and fails on a response 403 or another problem in the browser. */
  const asRole = (role: 'support' | 'auditor', path: string, work: (page: Page) => Promise<void>): Promise<void> =>
    visiting({ origins: originsOf(dashboard) }, async ({ page }) => {
      const refused: string[] = [];
      page.on('response', (response) => response.status() === 403 && refused.push(response.url()));
      await signInAt(page, dashboard, role, path);
      await work(page);
      assert.deepEqual(refused, []);
    });
  const confirm = (page: Page, name: string): Promise<void> =>
    page.getByRole('dialog').getByRole('button', { name }).click();

  it('unlocks an account, explains a failed sign-in, removes a lost second factor and sends a recovery: support', () =>
    asRole('support', '/security/locked-accounts', async (page) => {
      await page.getByRole('button', { name: `Unlock ${email}` }).click();
      await confirm(page, 'Unlock account');
      await page.getByText(`Unlocked ${email}`).waitFor();

      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(email);
      await page.getByRole('option').filter({ hasText: email }).first().click();
      const diagnosis = page.getByRole('region', { name: 'Can they sign in?' }).getByText('Wrong password');
      await diagnosis.first().waitFor();

      await page.getByRole('link', { name: 'Credentials', exact: true }).click();
      await page.getByRole('button', { name: 'Delete Authenticator app' }).click();
      await confirm(page, 'Delete credential');
      await page.getByText(/^Deleted/).waitFor();

      await page.getByRole('button', { name: 'Send recovery link…' }).first().click();
      await confirm(page, 'Send link');
      await page.getByText(/sends a recovery link to/).waitFor();
      await page.goto(`${dashboard.baseUrl}/messages?recipient=${encodeURIComponent(email)}`);
      await page.getByRole('row').filter({ hasText: email }).first().click();
      await page.getByText('Only administrators can read subjects and bodies').waitFor();
    }));

  it('finds out who changed what, and exports the audit trail and the sign-in log: auditor', () =>
    asRole('auditor', '/security/audit', async (page) => {
      const records = page.getByRole('list', { name: 'Records, newest first' });
      await records.getByText(`unlocked the account ${email}`).waitFor();
      const exported = async (choice: string): Promise<string> => {
        await page.getByRole('button', { name: 'Export…' }).click();
        const download = page.waitForEvent('download');
        await page.getByRole('option', { name: choice }).click();
        return readFile(await (await download).path(), 'utf8');
      };
      const changes = await exported('Export matching records as CSV');
      for (const act of ['account_unlock', 'recovery_start', '/credentials/totp'])
        assert.ok(changes.includes(act), act);
      await page.goto(`${dashboard.baseUrl}/security/sign-ins`);
      assert.match(await exported('Export all entries as CSV'), /LoginFailed/);
      await page.goto(`${dashboard.baseUrl}/security/operators`);
      const table = page.getByRole('region', { name: 'What each role may do' });
      await table.getByRole('row', { name: 'Unlock accounts Yes Yes No No' }).waitFor();
    }));
});
