import assert from 'node:assert/strict';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { waitForNoDialog } from '../support/identity-dom.ts';
import { createPerson } from '../support/identity-pages.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

describe('signing a person out everywhere', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const onDialog = async (id: string, work: (app: App, dialog: HTMLElement) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}`, {}, async (app) => {
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /^Sign out everywhere/ }));
      await work(app, await app.screen.findByRole('dialog', { name: /^Sign out .+ everywhere\?$/ }));
    });
  const writes = (app: App): string[] => app.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);

  it('continues if one step fails, names that step, and retries only that step', async () => {
    const { id, name } = await createPerson(suite);
    await onDialog(id, async (app, dialog) => {
      suite.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.startsWith(CONSENTS) ? { status: 500, body: '{"error":"x"}' } : undefined;
      await app.press('Sign out everywhere', dialog);
      await app.screen.findByRole('dialog', { name: `${name} may still be signed in` });
      await app.shows('Consents and their tokens could not be revoked', dialog);
      await app.shows('Login sessions at the OAuth server ended, if there were any', dialog);
      assert.equal(writes(app).length, 4);
      suite.upstream.reset();
      await app.press('Try again', dialog);
      await app.shows(`Signed out ${name} everywhere`);
      await waitForNoDialog(app);
      assert.deepEqual(writes(app).slice(4), [`/api/oauth-admin${CONSENTS}?subject=${id}&all=true`]);
    });
  });

  it('warns operators if their own session ends as well', async () => {
    const session = await suite.dashboard.call('/api/auth/session', { session: suite.sessions.admin });
    const { user } = (await session.json()) as { user: { identityId: string } };
    await onDialog(user.identityId, (app, dialog) =>
      app.shows('This is you: your session in this dashboard ends as well.', dialog).then(() => {}),
    );
  });
});
