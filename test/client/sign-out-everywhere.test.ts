import assert from 'node:assert/strict';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { sessionIn } from '../support/http-sign-in.ts';
import { waitForNoDialog } from '../support/identity-dom.ts';
import { areActive, createConsentClient, giveConsent } from '../support/oauth-client-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

describe('signing a person out everywhere', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const onDialog = async (id: string, work: (app: App, dialog: HTMLElement) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}`, {}, async (app) => {
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /^Sign out everywhere/ }));
      await work(app, await app.screen.findByRole('dialog', { name: /^Sign out .+ everywhere\?$/ }));
    });
  const writes = (app: App): string[] =>
    app.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

  it('ends their sessions, logins, consents and tokens, continues if one step fails, and retries only that step', async () => {
    const { subject, access } = await giveConsent(suite, await createConsentClient(suite, 'Shop'), 'viewer');
    await onDialog(subject, async (app, dialog) => {
      assert.deepEqual(writes(app), []);
      suite.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.startsWith(CONSENTS) ? { status: 500, body: '{"error":"x"}' } : undefined;
      await app.press('Sign out everywhere', dialog);
      await app.screen.findByRole('dialog', { name: / may still be signed in$/ });
      await app.shows('Consents and their tokens could not be revoked', dialog);
      await app.shows('Login sessions at the OAuth server ended, if there were any', dialog);
      const consents = `DELETE /api/oauth-admin${CONSENTS}?subject=${subject}&all=true`;
      assert.deepEqual(writes(app), [
        `DELETE /api/identity-admin/admin/identities/${subject}/sessions`,
        `DELETE /api/oauth-admin/admin/oauth2/auth/sessions/login?subject=${subject}`,
        consents,
        'POST /api/security/revocations',
      ]);
      suite.upstream.reset();
      await app.press('Try again', dialog);
      await app.shows(/^Signed out .+ everywhere$/);
      await waitForNoDialog(app);
      assert.deepEqual(writes(app).slice(4), [consents]);
    });
    assert.deepEqual(await areActive(suite, [access]), [false]);
    const session = await suite.dashboard.call('/api/auth/session', { session: suite.sessions.viewer });
    assert.equal(session.status, 401, 'the session in the dashboard has ended');
  });

  it('warns operators if their own session ends as well', async () => {
    await onDialog(sessionIn(suite.sessions.admin).identityId, (app, dialog) =>
      app.shows('This is you: your session in this dashboard ends as well.', dialog).then(() => {}),
    );
  });
});
