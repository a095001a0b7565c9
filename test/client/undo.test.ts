import assert from 'node:assert/strict';
import type { Setting } from '../../shared/settings.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { ada, type Person, person, type Stored, stored } from '../support/identity-pages.ts';

/** The offer goes after ten seconds, but not under the pointer. */
async function offered(app: App): Promise<HTMLElement> {
  const button = await app.screen.findByText('Undo');
  await app.user.hover(button);
  return button;
}

describe('undoing a change of a person', () => {
  const suite = appOfSuite();
  const read = async (id: string): Promise<Stored> => (await (await stored(suite, id)).json()) as Stored;
  /** As somebody else, past the page. */
  async function change(id: string, path: string, value: unknown): Promise<void> {
    const json = [{ op: 'replace', path, value }];
    const url = `/api/identity-admin/admin/identities/${id}`;
    const response = await suite.dashboard.call(url, { session: suite.sessions.admin, method: 'PATCH', json });
    assert.equal(response.status, 200);
  }
  const writes = (app: App): string[] =>
    app.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  const renaming = ({ id }: Stored, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}/traits/edit`, { heading: 'Ada Old' }, async (app) => {
      await app.fill('First name', 'Eve');
      await app.press('Save');
      await app.screen.findByRole('heading', { level: 1, name: 'Eve Old' });
      await work(app);
    });
  const onPerson = ({ id, name }: Person, tab: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}${tab}`, { heading: name }, work);
  const act = async (app: App, name: 'Activate' | 'Deactivate'): Promise<void> => {
    await app.press('More actions');
    await app.user.click(await app.screen.findByRole('menuitem', { name: new RegExp(name) }));
    await app.press(name, await app.screen.findByRole('dialog'));
    await app.hides(/^(Activate|Deactivate) .*\?$/);
  };

  it('brings back what the edit changed, and leaves what others have changed since', async () => {
    const before = await ada(suite);
    await renaming(before, async (app) => {
      const undo = await offered(app);
      await change(before.id, '/traits/locale', 'de');
      await app.user.click(undo);
      await app.shows('Undone. Changes that others made since then stay.');
      await app.screen.findByRole('heading', { level: 1, name: 'Ada Old' });
    });
    const { traits, metadata_public, metadata_admin, external_id } = await read(before.id);
    assert.deepEqual(traits, { ...before.traits, locale: 'de' });
    assert.deepEqual(
      [metadata_public, metadata_admin, external_id],
      [before.metadata_public, before.metadata_admin, before.external_id],
    );
  });

  it('deactivates again who was activated, and ends with the second attempt the sessions that the first could not end', async () => {
    const somebody = await person(suite);
    await change(somebody.id, '/state', 'inactive');
    await onPerson(somebody, '', async (app) => {
      await act(app, 'Activate');
      app.respond = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('/sessions')
          ? Response.json({ error: 'upstream_error', message: 'Busy.' }, { status: 503 })
          : undefined;
      await app.user.click(await offered(app));
      await app.shows(/^It is deactivated again, but its sessions could not be ended/);
      assert.equal((await read(somebody.id)).state, 'inactive');
      app.respond = () => undefined;
      await app.press('Try again');
      await app.shows('It is as it was before.');
      assert.match(writes(app).at(-1) ?? '', /^DELETE .*\/sessions$/);
    });
  });

  it('is offered in the timeline for the last change of the state, as long as nobody has changed it since', async () => {
    const somebody = await person(suite);
    for (const state of ['inactive', 'active', 'inactive']) await change(somebody.id, '/state', state);
    await onPerson(somebody, '/history', async (app) => {
      await app.press('Undo the deactivation');
      assert.equal(document.querySelectorAll('[data-timeline] li button').length, 1);
      await change(somebody.id, '/state', 'active');
      const dialog = await app.screen.findByRole('dialog');
      await app.press('Activate', dialog);
      await app.shows(/^Somebody has changed the state since: it is now active\./, dialog);
      await app.user.keyboard('{Escape}');
      await app.hides('Undo the deactivation');
    });
  });
});

describe('undoing a change of a provider', () => {
  const suite = appOfSuite();
  const SECRET = 'a-secret-that-nobody-guesses';
  const call = (path: string, options: object = {}) =>
    suite.dashboard.call(path, { session: suite.sessions.admin, ...options });
  const value = async (name: string): Promise<string> =>
    ((await (await call(`/api/settings/social.${name}?decrypt=true`)).json()) as Setting).value;
  beforeEach(async () => {
    for (const [name, value] of Object.entries({
      'google.client_id': 'id-of-google',
      'google.client_secret': SECRET,
      'google.enabled': 'true',
      order: 'google',
    })) {
      const json = { key: `social.${name}`, value, category: 'social', encrypted: value === SECRET };
      assert.ok((await call('/api/settings', { json })).ok);
    }
  });
  const onConnections = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/connections', { heading: 'Connections' }, work);

  it('enables it again, unless somebody has removed its secret', async () => {
    await onConnections(async (app) => {
      await app.press('Disable Google');
      await app.shows('Google is disabled');
      await app.user.click(await offered(app));
      await app.shows('Undone');
      assert.equal(await value('google.enabled'), 'true');
    });
    await onConnections(async (app) => {
      await app.press('Disable Google');
      const undo = await offered(app);
      await call('/api/settings/social.google.client_secret', { method: 'DELETE' });
      await app.user.click(undo);
      await app.shows(/It would be enabled again, but cannot work\. It has no client secret yet\.$/);
      assert.equal(await value('google.enabled'), 'false');
    });
  });
});
