import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import {
  draftOf,
  type ProviderDraft,
  type Step,
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

const SECRET = 'the-secret-of-the-tests';
const AWAY = { error: 'service_unavailable', message: 'The database is away.' };

describe('the social connections', () => {
  const suite = appOfSuite();
  const settings = async (): Promise<Setting[]> => {
    const response = await suite.dashboard.call('/api/settings', { session: suite.sessions.admin });
    return ((await response.json()) as SettingList).settings.filter(({ key }) => key.startsWith('social.'));
  };
  const stored = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await settings()).map(({ key, value, encrypted }) => [key, encrypted ? '(encrypted)' : value]));
  const store = (key: string, value: string, encrypted = false) =>
    suite.dashboard.call('/api/settings', {
      session: suite.sessions.admin,
      json: { key, value, encrypted, category: 'social' },
    });
  beforeEach(async () => {
    for (const { key } of await settings())
      await suite.dashboard.call(`/api/settings/${key}`, { session: suite.sessions.admin, method: 'DELETE' });
    for (const name of ['google', 'github']) {
      await store(`social.${name}.client_id`, `id-of-${name}`);
      await store(`social.${name}.client_secret`, SECRET, true);
      await store(`social.${name}.enabled`, 'true');
    }
    await store('social.order', 'google,github');
  });
  const onConnections = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/connections', { heading: 'Connections' }, async (app) => {
      await offersBoth(app);
      await work(app);
    });
  const offers = (app: App): (string | null)[] =>
    within(app.screen.getByRole('list', { name: 'Login buttons' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
  const offersBoth = (app: App): Promise<void> =>
    eventually(() => offers(app), ['Continue with google', 'Continue with github']);

  it('are added with the secret encrypted and enabled last; a failed step is named, and saving continues there', () =>
    onConnections(async (app) => {
      let isAway = true;
      app.respond = ({ method, body }) =>
        isAway && method === 'POST' && body.includes('social.gitlab.scopes')
          ? Response.json(AWAY, { status: 503 })
          : undefined;
      await app.press('Add provider');
      const dialog = await app.screen.findByRole('dialog', { name: 'Add provider' });
      await app.choose('Provider', 'GitLab', dialog);
      const callback = `${suite.dashboard.env.IDENTITY_URL}/self-service/methods/oidc/callback/gitlab`;
      await eventually(() => (app.screen.getByLabelText('Callback URL') as HTMLInputElement).value, callback);
      await app.press('Copy callback URL', dialog);
      await eventually(() => navigator.clipboard.readText(), callback);
      await app.fill('Client ID', 'id-of-gitlab', dialog);
      await app.fill('Client secret', SECRET, dialog);
      await app.press('Save', dialog);
      await app.shows('Step 4 of 6 (the scopes) failed: The database is away.', dialog);
      assert.equal((await stored())['social.gitlab.enabled'], undefined);
      isAway = false;
      await app.press('Save', dialog);
      await until(() => app.screen.queryByRole('dialog') === null);
      const { 'social.gitlab.client_secret': secret, 'social.order': order } = await stored();
      assert.deepEqual([secret, order], ['(encrypted)', 'google,github,gitlab']);
      const writes = app.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).key);
      assert.equal(writes.at(-1), 'social.gitlab.enabled');
    }));

  it('are added after the others, also if no order is stored', async () => {
    await suite.dashboard.call('/api/settings/social.order', { session: suite.sessions.admin, method: 'DELETE' });
    await suite.open('/connections', { heading: 'Connections' }, async (app) => {
      await app.press('Add provider');
      const dialog = await app.screen.findByRole('dialog', { name: 'Add provider' });
      await app.choose('Provider', 'Apple', dialog);
      await app.fill('Client ID', 'id-of-apple', dialog);
      await app.fill('Client secret', SECRET, dialog);
      await app.press('Save', dialog);
      await until(() => app.screen.queryByRole('dialog') === null);
      assert.equal((await stored())['social.order'], 'github,google,apple');
    });
  });

  it('are not saved while those that exist are unknown', async () => {
    const respond = ({ path }: { path: string }) =>
      path.startsWith('/api/settings?') ? Response.json(AWAY, { status: 503 }) : undefined;
    await suite.open('/connections', { heading: 'Connections', respond }, async (app) => {
      await app.press('Add provider');
      const dialog = await app.screen.findByRole('dialog', { name: 'Add provider' });
      await app.shows('The providers are unavailable', dialog);
      assert.ok(within(dialog).getByRole('button', { name: 'Save' }).matches(':disabled'));
    });
  });

  it('ask before they discard what was typed, and only then', () =>
    onConnections(async (app) => {
      await app.press('Add provider');
      await app.screen.findByRole('dialog', { name: 'Add provider' });
      await app.user.keyboard('{Escape}');
      await until(() => app.screen.queryByRole('dialog') === null);
      await app.press('Add provider');
      const dialog = await app.screen.findByRole('dialog', { name: 'Add provider' });
      await app.fill('Client secret', SECRET, dialog);
      await app.user.keyboard('{Escape}');
      await app.shows('Leave without saving?');
      await app.user.click(await app.screen.findByText('Stay'));
      await app.hides('Leave without saving?');
      await within(dialog).findByDisplayValue(SECRET);
      await app.press('Cancel', dialog);
      await app.press('Discard changes');
      await until(() => app.screen.queryByRole('dialog') === null);
    }));

  it('keep what was typed if they can no longer be read', () =>
    onConnections(async (app) => {
      await app.press('Edit Google');
      const dialog = await app.screen.findByRole('dialog', { name: 'Edit Google' });
      await app.fill('Client secret', 'typed', dialog);
      app.respond = ({ path }) => (path.startsWith('/api/settings') ? Response.json(AWAY, { status: 503 }) : undefined);
      await app.press('Save', dialog);
      await until(() => document.querySelector('main [role=alert]') !== null);
      assert.ok(document.contains(dialog));
      await within(dialog).findByDisplayValue('typed');
      await app.shows(/^Not everything was saved/, dialog);
    }));

  it('offer the undo of the last change to its key', () =>
    onConnections(async (app) => {
      await app.press('Disable Google');
      await app.shows('Disabled Google');
      await app.press('Disable GitHub');
      const last = await app.shows('Disabled GitHub');
      await app.user.keyboard('u');
      await eventually(() => document.activeElement?.textContent, 'Undo');
      assert.ok(last.parentElement?.contains(document.activeElement));
    }));

  it('are for whoever signs in, also to the workforce deployment', () =>
    onConnections(async () => assert.doesNotMatch(document.body.textContent ?? '', /customers/)));

  it('are removed once their name is typed: disabled first, and still disabled if a later step fails', () =>
    onConnections(async (app) => {
      app.respond = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('client_secret') ? Response.json(AWAY, { status: 503 }) : undefined;
      await app.press('Remove Google');
      const dialog = await app.screen.findByRole('dialog', { name: 'Remove Google?' });
      await app.user.click(within(dialog).getByRole('textbox'));
      await app.user.paste('google');
      await app.press('Remove provider', dialog);
      await app.shows(/Step 2 of 4 \(the client secret\) failed/, dialog);
      assert.equal((await stored())['social.google.enabled'], undefined);
      app.respond = () => undefined;
      await app.press('Remove provider', dialog);
      await until(() => app.screen.queryByRole('dialog') === null);
      const left = await stored();
      assert.deepEqual(
        Object.keys(left).filter((key) => key.includes('google')),
        [],
      );
      assert.equal(left['social.order'], 'github');
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
    setting('social.google.note', 'of somebody else'),
    setting('social.No Name.client_id', 'odd'),
    setting('social.order', ' google , gone,google'),
  ];
  const google = (): StoredProvider => storedProviders(STORED)[0] ?? assert.fail('no provider');
  /** `social.google.enabled=true`, `-social.google.enabled`. */
  const written = (steps: readonly Step[]): string[] =>
    steps.map(({ change }) => ('save' in change ? `${change.save.key}=${change.save.value}` : `-${change.remove}`));
  const saved = (change: Partial<ProviderDraft>): string[] =>
    written(stepsToSave({ ...draftOf(google()), ...change }, google(), ['google']));

  it('is read from its settings in the stored order, without ciphertext and invalid names, and reports what is missing', () => {
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

  it('is disabled while its credentials change, and before anything else if the operator disables it', () => {
    assert.deepEqual(saved({ clientId: 'new', clientSecret: 'newer' }), [
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

  it('stays enabled if only its name or scopes change, and deletes emptied settings', () =>
    assert.deepEqual(saved({ displayName: ' ', scopes: 'openid' }), [
      '-social.google.display_name',
      'social.google.scopes=openid',
    ]));
});
