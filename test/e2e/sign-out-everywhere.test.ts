import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { activeOf, consentClient, consentTo } from '../support/consents.ts';
import { chooseAction, person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

describe('signing a person out everywhere, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });
  const begin = async (page: Page) => {
    await chooseAction(page, /^Sign this person out everywhere/);
    const dialog = page.getByRole('dialog', { name: /^Sign .+ out everywhere\?$/ });
    await dialog.waitFor();
    return dialog;
  };

  it('makes four calls with four results: sessions, login sessions, consents with their tokens, and this dashboard', async () => {
    const client = await consentClient(intercepted, 'Shop');
    const { subject, access } = await consentTo(intercepted, client, 'viewer');
    await onPage(intercepted, `/identities/${subject}`, async ({ page }) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (request.method() !== 'GET') sent.push(`${request.method()} ${pathname}${search}`);
      });
      const dialog = await begin(page);
      await dialog.getByText('included if the OAuth subject is the identity’s id').waitFor();
      await assertAccessibleInAllLooks(page, 'the question before signing somebody out');
      assert.deepEqual(sent, []);
      await page.keyboard.press('Enter');
      await dialog.getByText('All 4 steps are done.').waitFor();
      await dialog.getByText(/\d+ consents are revoked, and their tokens have ended\./).waitFor();
      assert.deepEqual(sent, [
        `DELETE /api/identity-admin/admin/identities/${subject}/sessions`,
        `DELETE /api/oauth-admin/admin/oauth2/auth/sessions/login?subject=${subject}`,
        `DELETE /api/oauth-admin${CONSENTS}?subject=${subject}&all=true`,
        'POST /api/security/revocations',
      ]);
      await becomes(() => activeOf(intercepted, [access]), [false]);
      const viewer = await intercepted.dashboard.call('/api/auth/session', { session: intercepted.sessions.viewer });
      assert.equal(viewer.status, 401, 'the session in the dashboard is over');
      await assertAccessibleInAllLooks(page, 'the four answers');
      await dialog.getByRole('button', { name: 'Repeat: Consents, with their tokens' }).press('Enter');
      await dialog.getByText('There were none.').first().waitFor();
      assert.equal(sent.length, 5);
      await dialog.getByText('All 4 steps are done.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'More actions');
    });
  });

  it('goes on where one of them fails, says which, and tries that one again', async () => {
    const { id, name } = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${id}`,
      async ({ page, expect }) => {
        expect(500, `/api/oauth-admin${CONSENTS}`);
        // The person has never signed in.
        expect(404, `/api/identity-admin/admin/identities/${id}/sessions`);
        intercepted.upstream.before = ({ method, path }) =>
          method === 'DELETE' && path.startsWith(CONSENTS) ? { status: 500, body: '{"error":"x"}' } : undefined;
        const dialog = await begin(page);
        await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
        await dialog.getByText('1 of 4 steps failed: the person may still be signed in there.').waitFor();
        await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null);
        await becomes(() => dialog.getByRole('button', { name: /^Repeat/ }).count(), 3);
        // The advice waits for a health check that is more recent than the failure.
        await dialog.getByRole('link', { name: 'See the System page' }).waitFor();
        await assertAccessibleInAllLooks(page, 'a failure among the answers');
        intercepted.upstream.calm();
        await dialog.getByRole('button', { name: 'Try again: Consents, with their tokens' }).click();
        await dialog.getByText('All 4 steps are done.').waitFor();
        const written = intercepted.upstream.seen.filter(({ method }) => method === 'DELETE');
        assert.deepEqual(
          written.map(({ path }) => path),
          [`${CONSENTS}?subject=${id}&all=true`],
        );
      },
      { heading: name },
    );
  });

  it('stays open while a slow server is waited for, and tries all that failed together', async () => {
    const { id, name } = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${id}`,
      async ({ page, expect }) => {
        expect(504, /^\/api\/oauth-admin\//);
        expect(404, `/api/identity-admin/admin/identities/${id}/sessions`);
        intercepted.upstream.before = () => 'silence';
        const dialog = await begin(page);
        await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
        await dialog.getByText('Signing out: 1 of 4 steps complete.').waitFor();
        await page.keyboard.press('Escape');
        await becomes(() => dialog.getByRole('button', { name: 'Close' }).first().isDisabled(), true);
        await dialog.getByText('2 of 4 steps failed').waitFor();
        intercepted.upstream.calm();
        await dialog.getByRole('button', { name: 'Retry failed steps' }).click();
        await dialog.getByText('All 4 steps are done.').waitFor();
      },
      { heading: name },
    );
  });

  it('warns whoever does it to themselves', async () => {
    const session = await (
      await intercepted.dashboard.call('/api/auth/session', { session: intercepted.sessions.admin })
    ).json();
    const { identityId } = (session as { user: { identityId: string } }).user;
    await onPage(intercepted, `/identities/${identityId}`, async ({ page }) => {
      const dialog = await begin(page);
      await dialog.getByText('This is you: your session in this dashboard ends as well.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    });
  });
});
