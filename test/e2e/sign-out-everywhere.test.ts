import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { chooseAction } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { areActive, createConsentClient, giveConsent } from '../support/oauth-client-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

describe('signing a person out everywhere', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('ends their Kratos sessions, Hydra login sessions, consents with tokens, and dashboard session', async () => {
    const client = await createConsentClient(intercepted, 'Shop');
    const { subject, access } = await giveConsent(intercepted, client, 'viewer');
    await onPage(intercepted, `/identities/${subject}`, async ({ page }) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (request.method() !== 'GET') sent.push(`${request.method()} ${pathname}${search}`);
      });
      await chooseAction(page, /^Sign out everywhere/);
      const dialog = page.getByRole('dialog', { name: /^Sign out .+ everywhere\?$/ });
      const about = dialog.getByText('only if the OAuth subject is the identity’s ID');
      await about.waitFor({ state: 'hidden' });
      await dialog.getByText('Details').click();
      await about.waitFor();
      assert.deepEqual(sent, []);
      await dialog.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
      await page.getByText(/^Signed out .+ everywhere$/).waitFor();
      assert.deepEqual(sent, [
        `DELETE /api/identity-admin/admin/identities/${subject}/sessions`,
        `DELETE /api/oauth-admin/admin/oauth2/auth/sessions/login?subject=${subject}`,
        `DELETE /api/oauth-admin${CONSENTS}?subject=${subject}&all=true`,
        'POST /api/security/revocations',
      ]);
      await eventually(() => areActive(intercepted, [access]), [false]);
      const viewer = await intercepted.dashboard.call('/api/auth/session', { session: intercepted.sessions.viewer });
      assert.equal(viewer.status, 401, 'the dashboard session has ended');
      await dialog.waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'More actions');
    });
  });
});
