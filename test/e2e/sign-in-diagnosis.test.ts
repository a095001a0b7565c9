import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { createIdentity, PASSWORD, requestIdentity } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the sign-in diagnosis', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 20 });

  it('opens from the overview, names who deactivated a person, and activates them', async () => {
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    const email = 'locked-out@example.org';
    const { id } = await createIdentity(intercepted, {
      schema_id: 'customer',
      traits: { email, name: { first: 'Locked', last: 'Out' } },
      credentials: { password: { config: { password: PASSWORD } } },
      verifiable_addresses: [{ value: email, via: 'email', verified: true, status: 'completed' }],
    });
    await call(`/api/identity-admin/admin/identities/${id}`, {
      method: 'PATCH',
      session,
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    });
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      const section = page.getByRole('region', { name: 'Can they sign in?' });
      const verdict = (): Promise<string> => section.getByRole('status').first().innerText();
      const findings = section.getByRole('list', { name: 'Findings' });
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill(email);
      await page.getByRole('group', { name: 'Identities' }).getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await eventually(verdict, 'No');
      await findings.getByText('The identity is inactive').waitFor();
      await findings.getByText(/^Deactivated just now by you\.$/).waitFor();
      await section.getByRole('button', { name: /^Activate/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click();
      await eventually(verdict, 'No problems found');
    });
    assert.equal(((await (await requestIdentity(intercepted, id)).json()) as { state: string }).state, 'active');
  });
});
