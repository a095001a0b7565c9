import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { lockAccounts } from '../support/dashboard.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { chooseInMenu, closeDialog, findDialog, pressInDialog, waitForText } from '../support/identity-dom.ts';
import { changeIdentity, createPerson, PASSWORD, type Person, trySignIn } from '../support/identity-pages.ts';
import { createClient, listedConsent } from '../support/oauth-client-pages.ts';

const ACTS =
  /^(?:Activate|Create|Deactivate|Delete|Edit|End|Export|Extend|Mark|Revoke|Save|Send|Sign out|Unlock)(?!\w)/;
const IDENTITIES = '/api/identity-admin/admin/identities';
const writes = ({ requests }: App): string[] =>
  requests.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => `${method} ${path} ${body}`.trim());
const ofType = (type: string) => ({ type, set: true, identifiers: ['apple:1'], deletable: true });
const CREDENTIALS = ['password', 'totp', 'lookup_secret', 'webauthn', 'oidc'].map(ofType);
const addresses = (via: string, ...ids: string[]) => ({
  recovery_addresses: ids.map((id) => ({ id, value: `${id}@example.org`, via })),
});
const TWO = addresses('email', 'a', 'b');

describe('a support engineer and an auditor', () => {
  const suite = appOfSuite({ env: { EXTRA_ROLES: 'support,auditor' } });
  let [person, session] = [{} as Person, ''];
  before(async () => {
    person = await createPerson(suite);
    assert.ok(await trySignIn(suite, person.email, PASSWORD));
    [{ id: session }] = await suite.read<[{ id: string }]>(`${IDENTITIES}/${person.id}/sessions`);
    await lockAccounts(suite.dashboard, [person.email]);
  });

  /** Opens a page as one of the roles. @param stubs response bodies by the end of the path */
  async function on(path: string, role: 'support' | 'auditor', stubs: object, work: (app: App) => Promise<void>) {
    const all: Record<string, unknown> = {
      credentials: { credentials: CREDENTIALS },
      consent: [listedConsent('1', { client: 'shop', name: 'Shop' })],
      ...stubs,
    };
    const refused: string[] = [];
    const respond: App['respond'] = async (request) => {
      const body = all[request.path.split('?')[0]?.split('/').at(-1) ?? ''];
      if (body !== undefined) return body instanceof Response ? body : Response.json(body);
      if (request.method !== 'GET') return undefined;
      const response = await suite.dashboard.call(request.path, { session: suite.sessions[role] });
      if (response.status === 403) refused.push(request.path);
      return response;
    };
    await suite.open(path.replace('ID', person.id).replace('SESSION', session), { role, respond }, work);
    assert.deepEqual(refused, []);
  }

  const HEADER = ['Deactivate…', 'End all sessions…', 'Send recovery link…', 'Sign out everywhere…'];
  const FACTORS = ['Delete Authenticator app', 'Delete Backup code', 'Delete Security key'];
  for (const [path, acts] of [
    ['/identities/ID', [...HEADER, 'Unlock account…: EMAIL is locked']],
    ['/identities/ID/credentials', [...HEADER, ...FACTORS]],
    ['/identities/ID/sessions', [...HEADER, 'End all sessions…', 'End session: A Node.js program']],
    ['/identities/ID/consents', [...HEADER, 'End login sessions…', 'Revoke all…', 'Revoke the consent to Shop']],
    ['/sessions/SESSION', ['End all sessions…', 'End session…']],
    ['/security/locked-accounts', ['Unlock EMAIL']],
    ['/identities?columns=external', ['Activate…', 'Deactivate…', 'End all sessions…']],
    ['/sessions', ['End all sessions of owners…', 'End sessions…']],
  ] as const)
    for (const role of ['support', 'auditor'] as const)
      it(`is offered as ${role} on ${path} what the role may do, with who can do the rest, and no request is refused`, () =>
        on(path, role, {}, async ({ screen, user }) => {
          await waitFor(() => assert.equal(document.querySelectorAll('[aria-busy=true]').length, 0));
          if (path.startsWith('/identities?') || path === '/sessions') {
            await user.click(await screen.findByLabelText('Select all rows on this page'));
            for (const shown of ['[aria-multiselectable=true]', '[data-selection]'])
              assert.equal(document.querySelector(shown) !== null, role === 'support');
          }
          const [menu] = screen.queryAllByRole('button', { name: 'More actions' });
          if (menu !== undefined) await user.click(menu).then(() => screen.findAllByRole('menuitem'));
          const nameOf = (act: HTMLElement) => act.getAttribute('aria-label') ?? act.textContent ?? '';
          const all = [...document.querySelectorAll<HTMLElement>('main :is(button, a), [role=menuitem]')];
          const [open = [], closed = []] = [null, 'true'].map((disabled) =>
            all.filter((act) => ACTS.test(nameOf(act)) && act.getAttribute('aria-disabled') === disabled),
          );
          assert.ok(closed.every(({ title }) => /^Only administrators(?: and .*)? can do this\.$/.test(title)));
          const expected = role === 'support' ? acts.map((act) => act.replace('EMAIL', person.email)) : [];
          assert.deepEqual(open.map(nameOf).sort(), expected.sort());
        }));

  it('revokes consents by person and client, and looks up no subject that names nobody', async () => {
    await on('/identities/ID/consents', 'support', {}, async (app) => {
      await app.press('Revoke the consent to Shop');
      assert.equal(app.screen.queryAllByLabelText(/^Revoke the consent from/).length, 0);
      await pressInDialog(app, 'Revoke consents');
      await app.shows(/accepted the request/);
      assert.match(writes(app).join(), /^DELETE \/api\/oauth-admin\/.+\/consent\?subject=[\da-f-]{36}&client=shop$/);
    });
    await on('/oauth/consents', 'support', {}, async (app) => {
      await app.fill('Subject or person', 'nobody');
      await app.user.keyboard('{Enter}');
      await app.shows(/^Only administrators can see the consents of a subject that is not the ID of a person/);
      assert.ok(!app.requests.some(({ path }) => path.includes('/sessions/consent')));
    });
  });

  it('reads only what is about the person, and sees what was not checked', async () => {
    await on('/identities/ID/history', 'support', {}, async () => {
      await waitForText(/admin@example\.com created Person \d+/);
      assert.ok(![...document.querySelectorAll('main a')].some((link) => link.outerHTML.includes('/security/audit')));
    });
    await on('/identities/ID', 'support', {}, async ({ shows, screen }) => {
      await shows(/^Not checked: the settings of their sign-in providers/);
      assert.equal(screen.queryByText(/ to sign in is /), null);
    });
  });

  it('stops at the first step that is refused', async () => {
    const id = sessionIn(suite.sessions.viewer).identityId;
    for (const [button, sent] of [
      ['Deactivate', `PATCH ${IDENTITIES}/${id} [{"op":"replace","path":"/state","value":"inactive"}]`],
      ['Sign out everywhere', `DELETE ${IDENTITIES}/${id}/sessions`],
    ] as const)
      await on(`/identities/${id}`, 'support', {}, async (app) => {
        await chooseInMenu(app, new RegExp(`^${button}…`));
        await pressInDialog(app, button);
        await app.shows('This is the account of an operator: only an administrator can do this.');
        assert.deepEqual(writes(app), [sent]);
      });
  });

  it('is offered on its own page nothing that only administrators may do there', async () => {
    await on(`/identities/${sessionIn(suite.sessions.support).identityId}`, 'support', {}, async (app) => {
      await chooseInMenu(app, /^Sign out everywhere…/);
      const { textContent } = await app.screen.findByRole('dialog', { name: / everywhere\?$/ });
      assert.doesNotMatch(textContent ?? '', /your session in this dashboard/);
      await app.press('Cancel');
      await chooseInMenu(app, /^Deactivate…/);
      await app.shows('Only administrators can do this.');
    });
  });

  it('sends a recovery link to the chosen address, or says why none can be sent', async () => {
    const stored = await suite.read<object>(`${IDENTITIES}/${person.id}`);
    for (const [changes, words, recovery] of [
      [{ state: 'inactive' }, /^This identity is inactive/],
      [addresses('sms', 'a'), /^This identity has no e-mail address for recovery/],
      [TWO, 'Too many links.', Response.json({ error: 'x', message: 'Too many links.' }, { status: 429 })],
      [TWO, 'The identity service sends a recovery link to b@example.org', {}],
    ] as const) {
      const stubs = { [person.id]: { ...stored, ...changes }, recovery };
      await on('/identities/ID/traits', 'support', stubs, async (app) => {
        await app.press('Send recovery link…');
        if (recovery) await app.user.click(await app.screen.findByLabelText('b@example.org'));
        if (recovery) await pressInDialog(app, 'Send link');
        await app.shows(words);
        assert.match(writes(app).join(), recovery ? /^POST .+\/recovery \{"recovery_address_id":"b"\}$/ : /^$/);
      });
    }
  });
});

describe('an act that ends, deletes, unlocks or creates a recovery code', () => {
  const suite = appOfSuite();
  const MACHINE = { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] };
  let ids: Record<string, string>;
  before(async () => {
    const [person, inactive] = [await createPerson(suite), await createPerson(suite)];
    await changeIdentity(suite, inactive.id, { '/state': 'inactive' });
    assert.ok(await trySignIn(suite, person.email, PASSWORD));
    await suite.call(`/api/identities/${person.id}/notes`, { json: { text: 'Called back.' } });
    const [session] = await suite.read<[{ id: string }]>(`${IDENTITIES}/${person.id}/sessions`);
    await lockAccounts(suite.dashboard, [person.email]);
    const [client, machine] = [await createClient(suite), await createClient(suite, MACHINE)];
    for (const value of ['one', 'two']) await suite.call('/api/settings', { json: { key: 'mail.from', value } });
    ids = { PERSON: person.id, INACTIVE: inactive.id, SESSION: session.id };
    Object.assign(ids, { CLIENT: client.client_id, MACHINE: machine.client_id });
  });
  const respond: App['respond'] = ({ method, path }) => {
    if (method !== 'GET') return Response.json({ error: 'bad_request', message: 'Not now.' }, { status: 400 });
    if (path.endsWith('/credentials')) return Response.json({ credentials: CREDENTIALS });
    return path.includes('/sessions/consent') ? Response.json([listedConsent('1', { client: 'shop' })]) : undefined;
  };
  const on = (path: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(
      path.replace(/[A-Z]+/, (name) => ids[name] ?? name),
      { requireReason: true, respond },
      work,
    );
  /** Opens a dialog by a button, or by a text in the menu, and types what confirms it. In a list, all rows are selected. */
  async function openDialog(app: App, act: RegExp | string): Promise<HTMLElement> {
    if (/^\/(?:identities|sessions|oauth\/clients)(?:\?|$)/.test(app.address())) {
      const all = await app.screen.findByLabelText<HTMLInputElement>('Select all rows on this page');
      if (!all.checked) await app.user.click(all);
    }
    await (typeof act === 'string' ? chooseInMenu(app, new RegExp(`^${act}…`)) : app.press(act));
    const dialog = await findDialog(app);
    await within(dialog).findAllByRole('button', { name: /^(?:Cancel|Close|Keep them)$/ });
    if (within(dialog).queryByLabelText(/^Type /))
      await app.fill(/^Type /, dialog.querySelector('label code')?.textContent ?? '', dialog);
    return dialog;
  }

  for (const [path, ...acts] of [
    [
      '/identities/PERSON',
      'Deactivate',
      'End all sessions',
      'Sign out everywhere',
      'Delete identity',
      /^Unlock acc/,
      /^Delete…$/,
    ],
    ['/identities/PERSON/traits', /^Create recovery code…/, /^Send recovery link…/],
    ['/identities/PERSON/credentials', /^Delete Authenticator app/],
    ['/identities/PERSON/sessions', /^End session: /],
    ['/identities/PERSON/consents', /^End login sessions…/, /^Revoke all…/, /^Revoke the consent from/],
    ['/sessions/SESSION', /^End session…/, 'End all sessions'],
    ['/security/locked-accounts', /^Unlock /],
    ['/security/operators', /^End dashboard sessions of viewer/i],
    ['/oauth/clients/CLIENT', 'Delete client'],
    ['/oauth/clients/MACHINE', 'Rotate secret'],
    ['/settings?key=mail.from', /^Remove earlier versions/],
    ['/settings', /^Delete mail.from/],
    ['/identities?page_size=250', /^Deactivate/, /^End all sessions/, /^Delete/],
    ['/sessions', /^End sessions/, /^End all sessions of owners/],
    ['/oauth/clients', /^Delete/],
  ] as const)
    it(`waits on ${path} for a reason where one is required, and sends it also when it is tried again`, () =>
      on(path, async (app) => {
        for (const act of acts) {
          const dialog = await openDialog(app, act);
          await app.shows(/^Required here\. Recorded in the audit trail; it cannot be erased\.$/, dialog);
          const waiting = [...dialog.querySelectorAll('button')].filter(({ disabled }) => disabled).at(-1);
          await app.fill(/^Reason or ticket/, 'SUP-1 café', dialog);
          for (const name of [waiting?.textContent ?? '', RegExp(`^(?:${waiting?.textContent}|Try again)$`)]) {
            app.requests.length = 0;
            await app.press(name, dialog);
            await within(dialog).findAllByText(/Not now\./);
            await waitFor(() => assert.ok(writes(app).length > 0 && dialog.querySelector('button:disabled') === null));
            assert.ok(app.requests.every(({ method, reason }) => method === 'GET' || reason === 'SUP-1 café'));
          }
          if (acts.length > 1) await closeDialog(app);
        }
      }));

  it('is the only kind that has a field for a reason', async () => {
    for (const [path, act] of [
      ['/identities/INACTIVE', 'Activate'],
      ['/identities?page_size=250', /^Activate/],
      ['/sessions', /^Extend/],
    ] as const)
      await on(path, async (app) =>
        assert.equal(within(await openDialog(app, act)).queryByLabelText(/^Reason/), null, `${path} ${act}`),
      );
  });
});
