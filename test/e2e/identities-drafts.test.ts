import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit, submitCredentials } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('what is typed about an identity when the session ends, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  let id: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ env: { PROXY_REQUIRE_SESSION: 'true' } });
  });
  after(() => dashboard?.close());
  beforeEach(async () => {
    session = await dashboard.signIn('admin');
    const json = {
      schema_id: 'customer',
      traits: { email: `draft-${Date.now()}@example.org`, name: { first: 'Ada' } },
    };
    const created = await dashboard.call('/api/identity-admin/admin/identities', { session, json });
    assert.equal(created.status, 201);
    ({ id } = (await created.json()) as { id: string });
  });

  const typed = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path: `/identities/${id}/traits/edit`, heading: 'Ada' }, async (visit) => {
      const { page, context, expect } = visit;
      expect(401, /\/identities\//);
      await page.getByLabel('First name').fill('Typed before the end');
      await context.clearCookies({ name: 'dashboard-session' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('You are signed out').waitFor();
      await becomes(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
      await work(visit);
    });

  it('comes back after the sign-in, and is saved', () =>
    typed(async ({ page }) => {
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await submitCredentials(page, dashboard.operator('admin'));
      await page.getByText('Your unsaved changes were restored').waitFor();
      await becomes(() => page.getByLabel('First name').inputValue(), 'Typed before the end');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    }));

  it('still meets what somebody else changed during the sign-in', () =>
    typed(async ({ page }) => {
      const json = [{ op: 'replace', path: '/traits/name/first', value: 'Theirs' }];
      const patched = await dashboard.call(`/api/identity-admin/admin/identities/${id}`, {
        session,
        method: 'PATCH',
        json,
      });
      assert.equal(patched.status, 200);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await submitCredentials(page, dashboard.operator('admin'));
      await page.getByText('Your unsaved changes were restored').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').getByText('Keep theirs').waitFor();
    }));
});
