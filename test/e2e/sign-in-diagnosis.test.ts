import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { create, PASSWORD, stored } from '../support/identity-pages.ts';
import { indexIsRead, READING_MS } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { askWhyNot, findings, help, STEPS_MAX, stepper, verdict } from '../support/questions.ts';

describe('why somebody cannot sign in, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 20 });

  it('is answered in a few steps from the overview: who deactivated them, and they are activated', async function () {
    this.timeout(READING_MS + 60_000);
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    const email = 'locked-out@example.org';
    const { id } = await create(intercepted, {
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
    await indexIsRead(intercepted.dashboard, session);
    const { step, taken } = stepper();
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      await askWhyNot(page, step, email);
      await becomes(() => verdict(page).innerText(), 'No');
      await findings(page).getByText('The identity is inactive').waitFor();
      await findings(page)
        .getByText(/^Deactivated just now by you\.$/)
        .waitFor();
      await step(help(page, 'button', /^Activate/).click());
      await step(page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click());
      await becomes(() => verdict(page).innerText(), 'Nothing is wrong that this platform knows');
    });
    assert.ok(taken() <= STEPS_MAX, `${taken()} steps`);
    assert.equal(((await (await stored(intercepted, id)).json()) as { state: string }).state, 'active');
  });
});
