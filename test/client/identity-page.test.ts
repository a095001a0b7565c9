import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually, until } from '../support/eventually.ts';
import type { StubResponse } from '../support/faulting-upstream.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import {
  chooseInMenu,
  closeDialog,
  findDialog,
  pressInDialog,
  waitForNoDialog,
  waitForText,
} from '../support/identity-dom.ts';
import { createPerson, PASSWORD, type Person, requestIdentity, trySignIn } from '../support/identity-pages.ts';

const identifier = { type: 'string', 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };

describe('the page of an identity', () => {
  const suite = appOfSuite();
  const onPerson = ({ id, name }: Person, tab: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities/${id}${tab}`, { heading: name }, work);
  const goTo = async ({ screen, user }: App, tab: string): Promise<void> =>
    user.click(within(screen.getByRole('navigation', { name: 'Identity' })).getByText(tab));
  const stateOf = async (id: string): Promise<string> =>
    ((await (await requestIdentity(suite, id)).json()) as { state: string }).state;
  const writes = (): string[] =>
    suite.upstream.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);

  it('names beside its heading the latest change by another operator in the last ten minutes', async () => {
    const somebody = await createPerson(suite);
    const other = '99999999-9999-4999-8999-999999999999';
    const self = sessionIn(suite.sessions.admin).identityId;
    const record = (minutes: number, actor: string, details: object, action = 'proxy_write') => ({
      ...{ sequence: 100 - minutes, timestamp: new Date(Date.now() - minutes * 60_000).toISOString(), action, actor },
      ...{ target: `/api/identity-admin/admin/identities/${somebody.id}`, subject: `identity:${somebody.id}` },
      details: { method: 'PATCH', status: 200, ...details },
    });
    const unrelated = [
      record(0, other, {}, 'identity_search'),
      record(1, self, { changed: ['/traits/name/last'] }),
      record(2, other, { status: 409, changed: ['/traits/phone'] }),
    ];
    for (const [minutes, text] of [
      [3, '99999999 changed email 3 minutes ago'],
      [11, undefined],
    ] as const) {
      const events = [...unrelated, record(minutes, other, { changed: ['/traits/email'] })];
      const respond: App['respond'] = ({ path }) =>
        /\/audit\?.*subject=identity/.test(path) ? Response.json({ events, next_page_token: null }) : undefined;
      await suite.open(`/identities/${somebody.id}`, { heading: somebody.name, respond }, async (app) => {
        await app.screen.findByRole('heading', { name: /^Today, / });
        await eventually(() => document.querySelector('[data-changed-by-other]')?.textContent, text);
      });
    }
  });

  it('never receives a response that contains the password hash', async () => {
    const somebody = await createPerson(suite);
    const withHash = `${suite.upstream.target}/admin/identities/${somebody.id}?include_credential=password`;
    const { credentials } = (await (await fetch(withHash)).json()) as {
      credentials: { password: { config: { hashed_password: string } } };
    };
    const hash = credentials.password.config.hashed_password;
    await onPerson(somebody, '', async (app) => {
      await app.shows('Social sign-in, Password');
      for (const [tab, text] of [
        ['Credentials', new RegExp(`Password · ${somebody.email}`)],
        ['JSON', new RegExp(somebody.subject)],
        ['Sessions', /No sessions/],
        ['Traits and metadata', /Admin metadata/],
      ] as const) {
        await goTo(app, tab);
        await waitForText(text);
      }
      const paths = [...new Set(app.requests.map(({ path }) => path))];
      const texts = await Promise.all(paths.map(async (path) => (await suite.call(path)).text()));
      assert.ok(texts.some((text) => text.includes(somebody.subject)));
      assert.ok(!texts.some((text) => text.includes(hash.slice(-20))));
    });
    assert.ok(suite.upstream.requests.some(({ path }) => path.includes('include_credential=password')));
  });

  it('moves the focus from the search for similar identifiers to its result', async () =>
    onPerson(await createPerson(suite), '', async (app) => {
      await app.press('Look for similar identifiers');
      const result = await app.shows(/^(?:Found no other identifier like|The person may mean|The index is off)/);
      await waitFor(() => assert.ok(document.activeElement === result.closest('[role=status]')));
    }));

  it('is named by the trait that the schema marks, as in the list', async () => {
    const { id } = await createPerson(suite);
    const identity = {
      id,
      schema_id: 'agents',
      state: 'active',
      traits: { agent_name: 'zora' },
      created_at: '',
      updated_at: '',
    };
    const schema = { properties: { traits: { properties: { agent_name: identifier } } } };
    const respond: App['respond'] = ({ path }) => {
      if (path === '/api/identity/schemas') return Response.json([{ id: 'agents', schema }]);
      if (path === `/api/identity-admin/admin/identities/${id}`) return Response.json(identity);
      if (path.startsWith('/api/identities/search?'))
        return Response.json({ identities: [identity], has_more: false, next_page_token: null, total: 1, index: {} });
      return undefined;
    };
    await suite.open(`/identities/${id}`, { heading: 'zora', respond }, async () => {});
    await suite.open('/identities', { heading: 'Identities', respond }, async ({ screen }) => {
      await screen.findByRole('link', { name: 'zora' });
    });
  });

  it('says that nothing was copied if the clipboard is unavailable', async () => {
    const somebody = await createPerson(suite);
    await onPerson(somebody, '', async (app) => {
      // A page without TLS has no clipboard, and a browser may lack the older command to copy.
      Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
      await app.press('Copy identity ID');
      await app.shows(/^Your browser blocked copying/);
      await app.hides(/^Copied/);
    });
  });

  it('explains that an ID in its address is unknown or invalid', async () => {
    await suite.open('/identities/11111111-1111-4111-8111-111111111111', {}, async (app) => {
      await app.shows('No identity has this ID. It may have been deleted.');
    });
    await suite.open('/identities/nonsense', {}, async (app) => {
      await app.shows('This address does not contain a valid identity ID.');
      assert.ok(!app.requests.some(({ path }) => path.includes('nonsense')));
    });
  });
  it('deletes one of two credentials, moves the focus on, and shows why the last one cannot be deleted', async () => {
    const somebody = await createPerson(suite);
    await onPerson(somebody, '/credentials', async (app) => {
      await app.press(`Delete Social sign-in google:${somebody.subject}`);
      await pressInDialog(app, 'Delete credential');
      await app.shows(`Deleted Social sign-in google:${somebody.subject}`);
      await app.hides('Social sign-in · google');
      await waitFor(() => assert.equal(document.activeElement?.tagName, 'H1'));
      await app.press('Delete Password');
      await pressInDialog(app, 'Delete credential');
      await app.shows('You cannot remove the last first factor credential.');
    });
  });

  it('describes sessions, and ends one or all of them', async () => {
    const somebody = await createPerson(suite);
    for (const userAgent of [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ]) {
      const headers = { 'user-agent': userAgent, 'x-real-ip': '203.0.113.7' };
      assert.ok(await trySignIn(suite, somebody.email, PASSWORD, headers));
    }
    await onPerson(somebody, '/sessions', async (app) => {
      await app.shows('2 sessions, 2 active');
      await waitForText(/Chrome on macOS · 203\.0\.113\.7/);
      await waitForText(/By password/);
      await app.press('End session: Firefox on Linux');
      await pressInDialog(app, 'End session');
      await app.shows('2 sessions, 1 active');
      await app.press('End all sessions…');
      await pressInDialog(app, 'End all sessions');
      await app.shows('No sessions');
      // Kratos responds 404 if there are no sessions; that is not an error.
      await chooseInMenu(app, /End all sessions/);
      await pressInDialog(app, 'End all sessions');
      await waitForNoDialog(app);
    });
  });

  it('deactivates a person and ends their sessions at once, and activates them again', async () => {
    const somebody = await createPerson(suite);
    await onPerson(somebody, '', async (app) => {
      await chooseInMenu(app, /Deactivate/);
      await app.screen.findByRole('dialog', { name: `Deactivate ${somebody.name}?` });
      await app.shows(/signed out and cannot sign in/);
      await pressInDialog(app, 'Deactivate');
      await app.shows(`Deactivated ${somebody.name} and ended all sessions`);
      assert.deepEqual(writes(), [
        `PATCH /admin/identities/${somebody.id}`,
        `DELETE /admin/identities/${somebody.id}/sessions`,
      ]);
      assert.equal(await stateOf(somebody.id), 'inactive');
      await app.shows('Inactive');
      await chooseInMenu(app, /Activate/);
      await pressInDialog(app, 'Activate');
      await app.shows(`Activated ${somebody.name}`);
      assert.equal(await stateOf(somebody.id), 'active');
    });
  });

  it('refuses to deactivate or delete the operator’s own account or to change its role, and explains why', async () => {
    const { identityId } = sessionIn(suite.sessions.admin);
    await suite.open(`/identities/${identityId}`, {}, async (app) => {
      for (const act of ['Deactivate', 'Delete']) {
        await chooseInMenu(app, new RegExp(act));
        const dialog = await findDialog(app);
        await app.shows(/^This is you\./, dialog);
        assert.equal(within(dialog).queryByRole('button', { name: new RegExp(act) }), null);
        await closeDialog(app);
      }
    });
    await suite.open(`/identities/${identityId}/traits/edit`, {}, async (app) => {
      await app.press('JSON');
      const field = await app.screen.findByLabelText<HTMLTextAreaElement>('Traits as JSON');
      const traits = JSON.parse(field.value) as object;
      await app.fill('Traits as JSON', JSON.stringify({ ...traits, role: 'viewer' }));
      await app.press('Save');
      await waitForText(/This is you\./);
    });
    assert.deepEqual(writes(), []);
  });

  it('requires the typed identifier for a deletion, and keeps the dialog open until the store has responded', async () => {
    const somebody = await createPerson(suite);
    await onPerson(somebody, '', async (app) => {
      await chooseInMenu(app, /Delete/);
      const dialog = within(await findDialog(app));
      const button = (): HTMLButtonElement => dialog.getByRole('button', { name: 'Delete identity' });
      const field = dialog.getByLabelText(/^Type /);
      assert.equal(button().disabled, true);
      await app.user.type(field, somebody.email.toUpperCase());
      assert.equal(button().disabled, true);
      await app.user.clear(field);
      await app.user.type(field, somebody.email);
      let respond = (_: StubResponse): void => {};
      suite.upstream.before = ({ method }) =>
        method === 'DELETE' ? new Promise<StubResponse>((resolve) => (respond = resolve)) : undefined;
      await pressInDialog(app, 'Delete identity');
      await until(() => writes().length === 1);
      await app.user.keyboard('{Escape}');
      respond({ status: 409, body: '{"error":{"reason":"It is locked."}}' });
      await waitForText(/It is locked\./, await findDialog(app));
      suite.upstream.before = () => undefined;
      await pressInDialog(app, 'Delete identity');
      await app.shows(`Deleted ${somebody.name}`);
      await eventually(() => app.address(), '/identities');
    });
    assert.equal((await requestIdentity(suite, somebody.id)).status, 404);
  });
});
