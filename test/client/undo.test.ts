import assert from 'node:assert/strict';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { ada, person, type Stored, stored } from '../support/identity-pages.ts';

describe('undoing a change to a person', () => {
  const suite = appOfSuite();
  /** As somebody else, past the page. */
  async function change(id: string, path: string, value: unknown): Promise<void> {
    const json = [{ op: 'replace', path, value }];
    const url = `/api/identity-admin/admin/identities/${id}`;
    const response = await suite.dashboard.call(url, { session: suite.sessions.admin, method: 'PATCH', json });
    assert.equal(response.status, 200);
  }

  it('restores what the edit changed, and keeps later changes by others', async () => {
    const before = await ada(suite);
    await suite.open(`/identities/${before.id}/traits/edit`, { heading: 'Ada Old' }, async (app) => {
      await app.fill('First name', 'Eve');
      await app.press('Save');
      const undo = await app.screen.findByText('Undo');
      // The offer goes after ten seconds, but not under the pointer.
      await app.user.hover(undo);
      await app.screen.findByRole('heading', { level: 1, name: 'Eve Old' });
      await change(before.id, '/traits/locale', 'de');
      await app.user.click(undo);
      await app.shows('Undone: saved Eve Old. Later changes by others were kept.');
      await app.screen.findByRole('heading', { level: 1, name: 'Ada Old' });
    });
    const { traits, metadata_public, metadata_admin, external_id } = (await (
      await stored(suite, before.id)
    ).json()) as Stored;
    assert.deepEqual(traits, { ...before.traits, locale: 'de' });
    assert.deepEqual(
      [metadata_public, metadata_admin, external_id],
      [before.metadata_public, before.metadata_admin, before.external_id],
    );
  });

  it('deactivates a person who was activated, and ends their sessions', async () => {
    const { id, name } = await person(suite);
    await change(id, '/state', 'inactive');
    await suite.open(`/identities/${id}`, { heading: name }, async (app) => {
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /Activate/ }));
      await app.press('Activate', await app.screen.findByRole('dialog'));
      await app.user.click(await app.screen.findByText('Undo'));
      await app.shows(`Undone: activated ${name}`);
      const { method, path } = app.requests.findLast((request) => request.method !== 'GET') ?? assert.fail();
      assert.equal(`${method} ${path}`, `DELETE /api/identity-admin/admin/identities/${id}/sessions`);
    });
    assert.equal(((await (await stored(suite, id)).json()) as Stored).state, 'inactive');
  });

  it('is offered in the timeline for the last change of the state, until somebody changes it', async () => {
    const somebody = await person(suite);
    for (const state of ['inactive', 'active', 'inactive']) await change(somebody.id, '/state', state);
    await suite.open(`/identities/${somebody.id}/history`, { heading: somebody.name }, async (app) => {
      await app.screen.findByLabelText('Undo the deactivation');
      // Once it is open, the dialog is in the line, too: Mantine renders no portals in tests.
      assert.equal(document.querySelectorAll('[data-timeline] li button').length, 1);
      await app.press('Undo the deactivation');
      await change(somebody.id, '/state', 'active');
      const dialog = await app.screen.findByRole('dialog');
      await app.press('Activate', dialog);
      await app.shows(/^Somebody has since changed the state: it is now active\./, dialog);
      await app.user.keyboard('{Escape}');
      await app.hides('Undo the deactivation');
    });
  });
});
