import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { ofBrowserSuite, originsOf, signInAt, visiting } from '../support/browser.ts';
import { lockAccounts, startDashboard } from '../support/dashboard.ts';
import { readIdentities } from '../support/sandbox-fixture.ts';

describe('the day of a role', () => {
  const env = { EXTRA_ROLES: 'support,auditor' };
  const dashboard = ofBrowserSuite(() => startDashboard({ events: true, locks: true, env, sandbox: { people: 60 } }));
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

  /** Signs in at a page. Afterwards, fails if the browser has reported any error response, such as 403. */
  const asRole = (role: 'support' | 'auditor', path: string, work: (page: Page) => Promise<void>): Promise<void> =>
    visiting({ origins: originsOf(dashboard) }, async ({ page }) => {
      await signInAt(page, dashboard, role, path);
      await work(page);
    });

  it('of support: unlocks, explains a failed sign-in, deletes a lost second factor and sends a recovery', () =>
    asRole('support', '/security/locked-accounts', async (page) => {
      const press = (name: string): Promise<void> => page.getByRole('button', { name }).last().click();
      await press(`Unlock ${email}`);
      await press('Unlock account');
      await page.getByText(`Unlocked ${email}`).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(email);
      await page.getByRole('option').filter({ hasText: email }).first().click();
      const diagnosis = page.getByRole('region', { name: 'Can they sign in?' });
      await diagnosis.getByText('Wrong password').first().waitFor();
      await page.getByRole('link', { name: 'Credentials', exact: true }).click();
      await press('Delete Authenticator app');
      await press('Delete credential');
      await page.getByText(/^Deleted/).waitFor();
      await press('Send recovery link…');
      await press('Send link');
      await page.getByText(/sends a recovery link to/).waitFor();
      await page.getByRole('link', { name: 'Sign-ins' }).click();
      await page.getByRole('grid').getByText('Wrong password').first().waitFor();
      assert.equal(await page.getByRole('button', { name: 'Export…' }).count(), 0);
    }));

  it('of an auditor: finds out who changed what, and exports the audit trail and the sign-in log', () =>
    asRole('auditor', '/security/audit', async (page) => {
      await page.getByText(`unlocked the account ${email}`).waitFor();
      const exported = async (choice: string): Promise<string> => {
        await page.getByRole('button', { name: 'Export…' }).click();
        const download = page.waitForEvent('download');
        await page.getByRole('option', { name: choice }).click();
        return readFile(await (await download).path(), 'utf8');
      };
      const changes = await exported('Export matching records as CSV');
      for (const act of ['account_unlock', 'recovery_start', '/credentials/totp'])
        assert.ok(changes.includes(act), act);
      assert.ok(!changes.includes(',login,'));
      await page.getByRole('link', { name: 'Sign-ins' }).click();
      await page.getByRole('heading', { level: 1, name: 'Sign-ins' }).waitFor();
      assert.match(await exported('Export all entries as CSV'), /LoginFailed/);
    }));
});
