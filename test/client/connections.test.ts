import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import {
  draftOf,
  type ProviderDraft,
  type Step,
  secretOf,
  stepsToSave,
} from '../../client/features/connections/provider-steps.ts';
import {
  missing,
  type StoredProvider,
  storedOrder,
  storedProviders,
} from '../../client/features/connections/providers.ts';
import type { Setting, SettingList } from '../../shared/settings.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually, until } from '../support/eventually.ts';
import { closeDialog, fieldValue, findDialog } from '../support/identity-dom.ts';

const SECRET = 'the-secret-of-the-tests';
const unavailable = (): Response =>
  Response.json({ error: 'service_unavailable', message: 'The database is unavailable.' }, { status: 503 });

describe('the connections page', () => {
  const suite = appOfSuite();
  const settings = async (): Promise<Setting[]> =>
    (await suite.read<SettingList>('/api/settings')).settings.filter(({ key }) => key.startsWith('social.'));
  const stored = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await settings()).map(({ key, value, encrypted }) => [key, encrypted ? '(encrypted)' : value]));
  const store = (key: string, value: string, encrypted = false) =>
    suite.call('/api/settings', { json: { key, value, encrypted, category: 'social' } });
  beforeEach(async () => {
    for (const { key } of await settings()) await suite.call(`/api/settings/${key}`, { method: 'DELETE' });
    for (const name of ['google', 'github']) {
      await store(`social.${name}.client_id`, `id-of-${name}`);
      await store(`social.${name}.client_secret`, SECRET, true);
      await store(`social.${name}.enabled`, 'true');
    }
    await store('social.order', 'google,github');
  });
  const onConnections = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/connections', { heading: 'Connections' }, async (app) => {
      await eventually(() => offers(app), ['Continue with google', 'Continue with github']);
      await work(app);
    });
  const offers = (app: App): (string | null)[] =>
    within(app.screen.getByRole('list', { name: 'Login buttons' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);

  const openNew = async (app: App): Promise<HTMLElement> => {
    await app.press('Add provider');
    return app.screen.findByRole('dialog', { name: 'Add provider' });
  };
  const isClosed = (app: App): Promise<void> => until(() => app.screen.queryByRole('dialog') === null);

  it('encrypts the secret of a new provider, and enables the provider last, also after a step has failed', () =>
    onConnections(async (app) => {
      let fails = true;
      app.respond = ({ method, body }) =>
        fails && method === 'POST' && body.includes('social.gitlab.scopes') ? unavailable() : undefined;
      const dialog = await openNew(app);
      await app.choose('Provider', 'GitLab', dialog);
      const callback = `${suite.dashboard.env.IDENTITY_URL}/self-service/methods/oidc/callback/gitlab`;
      await eventually(() => (app.screen.getByLabelText('Callback URL') as HTMLInputElement).value, callback);
      await app.press('Copy callback URL', dialog);
      await eventually(() => navigator.clipboard.readText(), callback);
      await app.fill('Client ID', 'id-of-gitlab', dialog);
      await app.fill('Client secret', `${SECRET} \n`, dialog);
      await app.press('Save', dialog);
      await app.shows('Step 4 of 6 (the scopes) failed: The database is unavailable.', dialog);
      assert.equal((await stored())['social.gitlab.enabled'], undefined);
      fails = false;
      await app.press('Save', dialog);
      await isClosed(app);
      const { 'social.gitlab.client_secret': secret, 'social.order': order } = await stored();
      assert.deepEqual([secret, order], ['(encrypted)', 'google,github,gitlab']);
      const writes = app.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
      const secrets = writes.flatMap(({ key, value }) => (key.endsWith('_secret') ? [value] : []));
      assert.deepEqual(secrets, [SECRET, SECRET]);
      assert.equal(writes.at(-1).key, 'social.gitlab.enabled');
    }));

  it('adds a new provider to the end of the order, even if no order is stored', async () => {
    await suite.call('/api/settings/social.order', { method: 'DELETE' });
    await suite.open('/connections', { heading: 'Connections' }, async (app) => {
      const dialog = await openNew(app);
      await app.choose('Provider', 'Apple', dialog);
      await app.fill('Client ID', 'id-of-apple', dialog);
      await app.fill('Client secret', SECRET, dialog);
      await app.press('Save', dialog);
      await isClosed(app);
      assert.equal((await stored())['social.order'], 'github,google,apple');
    });
  });

  it('moves a provider by a button that keeps the focus, and announces its position', () =>
    onConnections(async (app) => {
      await app.press('Move Google down');
      await app.shows('Google moved to position 2 of 2');
      await eventually(() => offers(app), ['Continue with github', 'Continue with google']);
      assert.equal(document.activeElement?.getAttribute('aria-label'), 'Move Google down');
    }));

  for (const [what, button, name] of [
    ['a new provider', 'Add provider', 'apple'],
    ['an existing provider', 'Edit Google', undefined],
  ] as const)
    it(`restores the typed values of ${what}, except the secret, after a sign-in in the same tab`, () =>
      onConnections(async (app) => {
        app.respond = ({ method }) =>
          method === 'POST' ? Response.json({ error: 'not_authenticated' }, { status: 401 }) : undefined;
        await app.press(button);
        const dialog = await findDialog(app);
        if (name) await app.choose('Provider', 'Apple', dialog);
        await app.fill('Client ID', 'id-as-typed', dialog);
        await app.fill('Client secret', SECRET, dialog);
        await app.press('Save', dialog);
        await app.press('Sign in', dialog);
        assert.deepEqual(app.navigations, ['/api/auth/login']);
        assert.ok(!JSON.stringify({ ...sessionStorage }).includes(SECRET));
        await closeDialog(app);
        for (const name of ['Settings', 'Connections']) {
          await app.user.click(await app.screen.findByRole('link', { name }));
          await app.screen.findByRole('heading', { level: 1, name });
        }
        await app.shows('Your unsaved changes were restored', await findDialog(app));
        assert.deepEqual([fieldValue(app, 'Client ID'), fieldValue(app, 'Client secret')], ['id-as-typed', '']);
        if (name) assert.equal(fieldValue(app, 'Provider'), name);
        assert.ok(!JSON.stringify({ ...sessionStorage }).includes('id-as-typed'));
      }));

  it('disables the Save button while the existing providers are unavailable', async () => {
    const respond = ({ path }: { path: string }) => (path.startsWith('/api/settings?') ? unavailable() : undefined);
    await suite.open('/connections', { heading: 'Connections', respond }, async (app) => {
      const dialog = await openNew(app);
      await app.shows('The providers are unavailable', dialog);
      assert.ok(within(dialog).getByRole('button', { name: 'Save' }).matches(':disabled'));
    });
  });

  it('closes an unchanged dialog at once, and requires confirmation to discard typed text', () =>
    onConnections(async (app) => {
      await openNew(app);
      await app.user.keyboard('{Escape}');
      await isClosed(app);
      const dialog = await openNew(app);
      await app.fill('Client secret', SECRET, dialog);
      await app.user.keyboard('{Escape}');
      await app.shows('Leave without saving?');
      await app.user.click(await app.screen.findByText('Stay'));
      await app.hides('Leave without saving?');
      await within(dialog).findByDisplayValue(SECRET);
      await app.press('Cancel', dialog);
      await app.press('Discard changes');
      await isClosed(app);
    }));

  it('keeps typed text in the dialog if the providers become unavailable', () =>
    onConnections(async (app) => {
      await app.press('Edit Google');
      const dialog = await app.screen.findByRole('dialog', { name: 'Edit Google' });
      await app.fill('Client secret', 'typed', dialog);
      app.respond = ({ path }) => (path.startsWith('/api/settings') ? unavailable() : undefined);
      await app.press('Save', dialog);
      await until(() => document.querySelector('main [role=alert]') !== null);
      assert.ok(document.contains(dialog));
      await within(dialog).findByDisplayValue('typed');
      await app.shows(/^Not everything was saved/, dialog);
    }));

  it('moves the focus to the Undo button of the last change when “u” is pressed', () =>
    onConnections(async (app) => {
      await app.press('Disable Google');
      await app.shows('Disabled Google');
      await app.press('Disable GitHub');
      const last = await app.shows('Disabled GitHub');
      await app.user.keyboard('u');
      await eventually(() => document.activeElement?.textContent, 'Undo');
      assert.ok(last.parentElement?.contains(document.activeElement));
    }));

  it('removes a provider after its name is typed, and disables it first in case a later step fails', () =>
    onConnections(async (app) => {
      app.respond = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('client_secret') ? unavailable() : undefined;
      await app.press('Remove Google');
      const dialog = await app.screen.findByRole('dialog', { name: 'Remove Google?' });
      await app.user.click(within(dialog).getByLabelText(/^Type /));
      await app.user.paste('google');
      await app.fill('Reason or ticket', 'SUP-1', dialog);
      await app.press('Remove provider', dialog);
      await app.shows(/Step 2 of 4 \(the client secret\) failed/, dialog);
      assert.equal((await stored())['social.google.enabled'], undefined);
      app.respond = () => undefined;
      await app.press('Remove provider', dialog);
      await isClosed(app);
      const remaining = await stored();
      assert.deepEqual(
        Object.keys(remaining).filter((key) => key.includes('google')),
        [],
      );
      assert.equal(remaining['social.order'], 'github');
      assert.ok(app.requests.every(({ method, reason }) => method === 'GET' || reason === 'SUP-1'));
    }));
});

describe('a social provider', () => {
  const setting = (key: string, value: string, encrypted = false): Setting => ({
    key,
    value,
    encrypted,
    category: 'social',
    updated_at: '2026-01-31T09:00:00.000Z',
  });
  const STORED = [
    setting('social.github.client_id', 'v1.cipher', true),
    setting('social.github.enabled', 'false'),
    setting('social.google.client_id', 'the-id'),
    setting('social.google.client_secret', 'v1.cipher', true),
    setting('social.google.display_name', 'Google'),
    setting('social.google.enabled', 'true'),
    setting('social.google.note', 'of another program'),
    setting('social.No Name.client_id', 'odd'),
    setting('social.order', ' google , gone,google'),
  ];
  const google = (): StoredProvider => storedProviders(STORED)[0] ?? assert.fail('no provider');
  /** Returns steps in short: `social.google.enabled=true` saves a setting, and `-social.google.enabled` removes it. */
  const written = (steps: readonly Step[]): string[] =>
    steps.map(({ change }) => ('save' in change ? `${change.save.key}=${change.save.value}` : `-${change.remove}`));
  const saved = (change: Partial<ProviderDraft>): string[] =>
    written(stepsToSave({ ...draftOf(google()), ...change }, google(), ['google']));

  it('is read at its stored position, from settings with valid names and without ciphertext, and reports a missing secret', () => {
    const providers = storedProviders(STORED);
    assert.deepEqual(
      providers.map(({ name, clientId }) => [name, clientId]),
      [
        ['google', 'the-id'],
        ['github', ''],
      ],
    );
    assert.deepEqual([...google().stored].sort(), ['client_id', 'client_secret', 'display_name', 'enabled']);
    assert.deepEqual(storedOrder(STORED), ['google', 'gone']);
    assert.deepEqual(providers.map(missing), [undefined, 'It has no client secret yet.']);
  });

  it('is disabled before its credentials change, and enabled again afterwards unless the operator disables it', () => {
    assert.deepEqual(saved({ clientId: '\u200b new\t\r\n', clientSecret: 'newer\r\n\n' }), [
      'social.google.enabled=false',
      'social.google.client_id=new',
      'social.google.client_secret=newer',
      'social.google.enabled=true',
    ]);
    assert.deepEqual(saved({ enabled: false, clientId: 'new' }), [
      'social.google.enabled=false',
      'social.google.client_id=new',
    ]);
  });

  it('has a secret without blanks and line breaks at its ends, except the last of a private key', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----\n';
    for (const [typed, secret] of [
      ['\n s3 cret \n \n', 's3 cret'],
      ['\ufeffs3cret', 's3cret'],
      [' \n', ''],
      [`\ufeff ${pem}`, pem],
    ] as const)
      assert.equal(secretOf(typed), secret);
  });

  it('stays enabled if only its name or scopes change, and loses settings that the operator empties', () =>
    assert.deepEqual(saved({ displayName: ' ', scopes: '\n openid\u00a0' }), [
      '-social.google.display_name',
      'social.google.scopes=openid',
    ]));
});
