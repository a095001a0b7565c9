import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { becomes, until } from '../support/becomes.ts';
import type { GivenAnswer } from '../support/faulting-upstream.ts';
import { chooseInMenu, closeDialog, confirm, dialogOf, noDialog, reads } from '../support/identity-dom.ts';
import { PASSWORD, type Person, person, signInAs, stored } from '../support/identity-pages.ts';

describe('what is done to an identity on its page', () => {
  const suite = appOfSuite();

  const onPerson = ({ id, name }: Person, tab: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}${tab}`, { heading: name }, work);
  const openRecovery = (app: App): Promise<void> => app.press('Recovery link…');
  const stateOf = async (id: string): Promise<string> =>
    ((await (await stored(suite, id)).json()) as { state: string }).state;
  const writes = (): string[] =>
    suite.upstream.seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

  it("deletes one of two ways in, and shows the store's reason for keeping the last", async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '/credentials', async (app) => {
      await app.press(`Delete Social sign-in google:${somebody.subject}`);
      await confirm(app, 'Delete');
      await app.shows(`Social sign-in google:${somebody.subject} is deleted`);
      await app.hides('Social sign-in · google');
      await app.press('Delete Password');
      await confirm(app, 'Delete');
      await app.shows('You cannot remove the last first factor credential.');
    });
  });

  it('does not call a credential deleted that the store kept', async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '/credentials', async (app) => {
      suite.upstream.before = ({ method }) => (method === 'DELETE' ? { status: 204 } : undefined);
      await app.press(`Delete Social sign-in google:${somebody.subject}`);
      await confirm(app, 'Delete');
      await app.shows(/but did not delete it/);
      suite.upstream.before = () => undefined;
      await confirm(app, 'Delete');
      await app.shows(`Social sign-in google:${somebody.subject} is deleted`);
    });
  });

  it('describes sessions, and ends one or all of them', async () => {
    const somebody = await person(suite);
    for (const userAgent of [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ]) {
      const headers = { 'user-agent': userAgent, 'x-real-ip': '203.0.113.7' };
      assert.equal(await signInAs(suite, somebody.email, PASSWORD, headers), 200);
    }
    await onPerson(somebody, '/sessions', async (app) => {
      await app.shows('2 sessions, 2 active');
      await reads(/Chrome on macOS · 203\.0\.113\.7/);
      await reads(/By password/);
      await app.press('End session: Firefox on Linux');
      await app.screen.findByRole('dialog', { name: `End the session of ${somebody.email} on Firefox on Linux?` });
      await confirm(app, 'Cancel');
      assert.deepEqual(writes(), []);
      await app.press('End session: Firefox on Linux');
      await confirm(app, 'End the session');
      await app.shows('2 sessions, 1 active');
      await app.press('End all sessions…');
      await confirm(app, 'End all sessions');
      await app.shows('No sessions');
      // Having no sessions left is not an error.
      await chooseInMenu(app, /End all sessions/);
      await confirm(app, 'End all sessions');
      await noDialog(app);
    });
  });

  it('deactivates and ends the sessions in one act, and activates again', async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '', async (app) => {
      await chooseInMenu(app, /Deactivate/);
      await app.screen.findByRole('dialog', { name: `Deactivate ${somebody.email}?` });
      await app.shows(/Its sessions end as well/);
      await confirm(app, 'Deactivate');
      await app.shows('Deactivated and signed out');
      assert.deepEqual(writes(), [
        `PATCH /admin/identities/${somebody.id}`,
        `DELETE /admin/identities/${somebody.id}/sessions`,
      ]);
      assert.equal(await stateOf(somebody.id), 'inactive');
      await app.shows('Inactive');
      await openRecovery(app);
      await app.shows(/This identity is inactive/);
      await closeDialog(app);
      await chooseInMenu(app, /Activate/);
      await confirm(app, 'Activate');
      await app.shows('Activated');
      assert.equal(await stateOf(somebody.id), 'active');
    });
  });

  it('says when it deactivated the identity but could not end the sessions, which can still be ended', async () => {
    const somebody = await person(suite);
    assert.equal(await signInAs(suite, somebody.email, PASSWORD), 200);
    await onPerson(somebody, '', async (app) => {
      suite.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('/sessions')
          ? { status: 503, body: '{"error":{"message":"busy"}}' }
          : undefined;
      await chooseInMenu(app, /Deactivate/);
      await confirm(app, 'Deactivate');
      await app.shows(/It is deactivated, but its sessions could not be ended/);
      assert.equal(await stateOf(somebody.id), 'inactive');
      suite.upstream.calm();
      await closeDialog(app);
      await app.user.click(within(app.screen.getByRole('navigation', { name: 'Identity' })).getByText('Sessions'));
      await app.shows('1 session, 0 active');
      await app.shows(/their sessions do not work/);
      await reads(/· person inactive · would end/);
      await app.press(/^End session:/);
      await confirm(app, 'End the session');
      await app.shows(/no longer active/);
      await becomes(() => app.screen.queryAllByRole('button', { name: /^End session:/ }).length, 0);
    });
  });

  it('deletes only after the identifier was typed, and stays open until the store has responded', async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '', async (app) => {
      await chooseInMenu(app, /Delete/);
      const asked = within(await dialogOf(app));
      const button = (): HTMLButtonElement => asked.getByRole('button', { name: 'Delete' });
      const field = asked.getByRole('textbox');
      assert.equal(button().disabled, true);
      await app.user.type(field, somebody.email.toUpperCase());
      assert.equal(button().disabled, true);
      await app.user.clear(field);
      await app.user.type(field, somebody.email);
      let respond = (_: GivenAnswer): void => {};
      suite.upstream.before = ({ method }) =>
        method === 'DELETE' ? new Promise<GivenAnswer>((resolve) => (respond = resolve)) : undefined;
      await confirm(app, 'Delete');
      await until(() => writes().length === 1);
      await app.user.keyboard('{Escape}');
      respond({ status: 409, body: '{"error":{"reason":"It is held."}}' });
      await reads(/It is held\./, await dialogOf(app));
      suite.upstream.before = () => undefined;
      await confirm(app, 'Delete');
      await app.shows(`${somebody.email} is deleted`);
      await becomes(() => app.address(), '/identities');
    });
    assert.equal((await stored(suite, somebody.id)).status, 404);
  });

  it('makes a recovery code and a link, shown once', async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '', async (app) => {
      await openRecovery(app);
      await app.choose('Valid for', '15 minutes');
      await app.press('Create a code');
      const code = await app.shows(/^\d{6}$/);
      await reads(/It expires in 1[45] minutes/);
      // A key press must not lose what is shown only once.
      await app.user.keyboard('{Escape}');
      await app.shows(String(code.textContent));
      assert.equal(app.screen.queryAllByRole('button', { name: 'Close' }).length, 0);
      const request = suite.upstream.seen.find(({ path }) => path === '/admin/recovery/code');
      assert.deepEqual(JSON.parse(request?.body ?? ''), { identity_id: somebody.id, expires_in: '15m' });
      await app.press('I have passed it on');
      await app.hides(String(code.textContent));
      await openRecovery(app);
      await app.press('Create a link');
      await app.shows(/\/self-service\/recovery\?/, await dialogOf(app));
    });
  });
});
