import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { waitFor, within } from '@testing-library/dom';
import { deletionConsequences } from '../../client/features/settings/deleted-settings.tsx';
import {
  draftOf,
  draftProblems,
  emptyDraft,
  inputOf,
  withoutSecret,
} from '../../client/features/settings/setting-draft.ts';
import type { Setting } from '../../shared/settings.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { closeDialog } from '../support/identity-dom.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('the settings page', () => {
  const suite = appOfSuite();
  beforeEach(async () => {
    await store({ key: 'mail.smtp.host', value: 'smtp.example.org', category: 'mail' });
    await store({ key: 'mail.smtp.password', value: SECRET, encrypted: true, category: 'mail' });
    await store({ key: 'brand.name', value: 'Example' });
  });

  async function store(setting: object): Promise<void> {
    assert.ok((await suite.call('/api/settings', { json: setting })).ok);
  }
  const stored = (key: string): Promise<Setting> => suite.read(`/api/settings/${encodeURIComponent(key)}?decrypt=true`);
  const onSettings = (work: (app: App) => Promise<void>, path = '/settings'): Promise<void> =>
    suite.open(path, { heading: 'Settings' }, work);
  const dialog = (app: App): Promise<HTMLElement> => app.screen.findByRole('dialog');
  const row = async (app: App, key: string): Promise<HTMLElement> =>
    (await app.screen.findByRole('link', { name: key })).closest('tr') as HTMLElement;
  const posts = ({ requests }: App) => requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

  it('never shows a mask or ciphertext in the form, and saves no secret without a value', () =>
    onSettings(async (app) => {
      await app.user.click(await app.screen.findByLabelText('Edit mail.smtp.password'));
      const form = await dialog(app);
      const value = (await within(form).findByLabelText('New value')) as HTMLTextAreaElement;
      assert.equal(value.value, '');
      await app.fill('Category', 'post', form);
      await app.press('Save', form);
      await app.shows(/^Enter a new value, or fill in the stored one\./, form);
      assert.deepEqual(posts(app), []);
      await app.press('Fill in the stored value', form);
      await within(form).findByDisplayValue(SECRET);
      await app.press('Save', form);
      await app.shows('Saved mail.smtp.password, encrypted');
      const { value: saved, encrypted, category } = await stored('mail.smtp.password');
      assert.deepEqual([saved, encrypted, category], [SECRET, true, 'post']);
      assert.ok(!document.body.innerHTML.includes(SECRET));
    }));

  it('copies an encrypted value without showing it', () =>
    onSettings(async (app) => {
      await app.press('Copy the value of mail.smtp.password');
      await app.shows('Copied the value of mail.smtp.password');
      assert.equal(await navigator.clipboard.readText(), SECRET);
      assert.ok(!document.body.innerHTML.includes(SECRET));
    }));

  it('does not turn on encryption by itself, and requires one confirmation per key to store a secret in plain text', () =>
    onSettings(async (app) => {
      const form = await dialog(app);
      const choose = async (choice: string): Promise<void> => {
        await app.press('Create', form);
        await app.press(choice, await within(form).findByRole('group', { name: 'Store it encrypted?' }));
      };
      const isOn = async (): Promise<boolean> =>
        ((await within(form).findByRole('switch', { name: 'Store encrypted' })) as HTMLInputElement).checked;
      const sent = () => posts(app).map((body) => [JSON.parse(body).key, JSON.parse(body).encrypted]);
      await app.fill(/^Key/, 'stripe.api_key', form);
      await app.shows(/^This key looks like that of a secret. Turn this on/, form);
      assert.equal(await isOn(), false);
      await app.fill('Value', SECRET, form);
      await app.press('Create', form);
      const choices = await within(form).findByRole('group', { name: 'Store it encrypted?' });
      const encrypted = within(choices).getByRole('button', { name: 'Store encrypted' });
      await waitFor(() => assert.ok(document.activeElement === encrypted));
      await app.user.type(await within(form).findByLabelText('Category'), 'payment');
      await within(form).findByDisplayValue('payment');
      assert.deepEqual(sent(), []);
      app.respond = ({ method }) =>
        method === 'POST' ? Response.json({ error: 'service_unavailable' }, { status: 503 }) : undefined;
      await choose('Store in plain text');
      await app.shows('Not saved', form);
      await app.press('Create', form);
      await waitFor(() => assert.deepEqual(sent(), Array(2).fill(['stripe.api_key', false])));
      app.respond = () => undefined;
      await app.fill(/^Key/, 'other.token', form);
      assert.equal(await isOn(), false);
      await choose('Store encrypted');
      await app.shows('Created other.token, encrypted');
      assert.deepEqual(sent().at(-1), ['other.token', true]);
      assert.ok(!document.body.innerHTML.includes(SECRET));
    }, '/settings?new=true'));

  it('marks a rejected key as invalid, and never overwrites an existing setting with a new one', () =>
    onSettings(async (app) => {
      const form = await dialog(app);
      const key = await within(form).findByLabelText(/^Key/);
      await app.user.type(key, ' begins.with.a.space');
      await app.press('Create', form);
      await app.shows(/^Key /, form);
      assert.equal(key.getAttribute('aria-invalid'), 'true');
      await app.fill(/^Key/, 'mail.smtp.host', form);
      await app.press('Create', form);
      await app.shows(/^A setting with this key already exists/, form);
      assert.equal((await stored('mail.smtp.host')).value, 'smtp.example.org');
    }, '/settings?new=true'));

  it('overwrites no version that it has not displayed, and preserves unsaved input', async () => {
    await store({ key: 'mail.relay', value: SECRET, encrypted: true });
    await onSettings(async (app) => {
      const form = await dialog(app);
      await app.fill('New value', 'a new secret', form);
      assert.ok((await suite.call('/api/settings/mail.relay', { method: 'DELETE' })).ok);
      await app.press('Save', form);
      await app.shows(/^The setting was changed or deleted after you opened it\./, form);
      await app.hides('mail.relay');
      await within(form).findByDisplayValue('a new secret');
      assert.equal((await suite.call('/api/settings/mail.relay')).status, 404);
    }, '/settings?key=mail.relay');
    await onSettings(async (app) => {
      const form = await dialog(app);
      await app.fill('Category', 'brand', form);
      await store({ key: 'brand.name', value: 'By another operator' });
      await app.press('Save', form);
      await app.shows(/^The setting was changed or deleted after you opened it\./, form);
      const { value, category } = await stored('brand.name');
      assert.deepEqual([value, category], ['By another operator', null]);
    }, '/settings?key=brand.name');
  });

  it('hides a revealed secret after half a minute, and opens a setting whose key has characters reserved in URLs', async () => {
    const key = 'a/b %2F;#?&=+ ü😀';
    await store({ key, value: SECRET, encrypted: true });
    await onSettings(async (app) => {
      const line = await row(app, key);
      const timers = mock.method(globalThis, 'setTimeout');
      await app.user.click(within(line).getByTitle(/^Reveal/));
      await app.shows(SECRET, line);
      const hiding = () => timers.mock.calls.find(({ arguments: [, delay] }) => delay === 30_000);
      await waitFor(() => assert.ok(hiding()));
      timers.mock.restore();
      hiding()?.arguments[0]();
      await app.hides(SECRET);
      assert.equal(app.requests.filter(({ path }) => path.includes('decrypt=true')).length, 1);
      assert.ok(!JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).includes(SECRET));
      await app.user.click(within(line).getByTitle('Edit'));
      await within(await dialog(app)).findByDisplayValue(key);
      assert.equal(new URLSearchParams(app.address().split('?')[1]).get('key'), key);
    });
  });

  it('requires confirmation before it discards unsaved input', () =>
    onSettings(async (app) => {
      const form = await dialog(app);
      await app.fill(/^Key/, 'half.typed', form);
      await app.user.keyboard('{Escape}');
      await app.shows('Leave without saving?');
      await app.user.click(await app.screen.findByText('Stay'));
      await app.hides('Leave without saving?');
      await within(form).findByDisplayValue('half.typed');
      await app.user.keyboard('{Escape}');
      await app.press('Discard changes');
      await app.hides(/^Dots group related keys/);
    }, '/settings?new=true'));

  it('keeps the form open when the session ends, and saves it once there is a new session', () =>
    onSettings(async (app) => {
      const form = await dialog(app);
      await app.fill('Value', 'Typed before the end', form);
      app.respond = ({ method }) =>
        method === 'POST'
          ? Response.json({ error: 'not_authenticated', message: 'Authentication required.' }, { status: 401 })
          : undefined;
      await app.press('Save', form);
      await app.shows(/^Not saved: your session has ended\./, form);
      await within(form).findByDisplayValue('Typed before the end');
      // A sign-in in another tab makes the service accept requests again.
      app.respond = () => undefined;
      await app.press('Save', form);
      await app.shows('Saved brand.name');
    }, '/settings?key=brand.name'));

  it('restores the form after a sign-in in the same tab, except the secret', () =>
    onSettings(async (app) => {
      const form = await dialog(app);
      app.respond = ({ method }) =>
        method === 'POST' ? Response.json({ error: 'not_authenticated' }, { status: 401 }) : undefined;
      await app.fill(/^Key/, 'draft.key', form);
      await app.fill('Value', SECRET, form);
      await app.user.click(await within(form).findByRole('switch', { name: 'Store encrypted' }));
      await app.press('Create', form);
      await app.press('Sign in', form);
      assert.deepEqual(app.navigations, ['/api/auth/login']);
      assert.ok(!JSON.stringify({ ...sessionStorage }).includes(SECRET));
      await closeDialog(app);
      await app.user.click(await app.shows('New setting'));
      const restored = within(await dialog(app));
      await restored.findByText('Your unsaved changes were restored');
      assert.equal(restored.getByLabelText<HTMLInputElement>(/^Key/).value, 'draft.key');
      assert.equal(restored.getByLabelText<HTMLTextAreaElement>('Value').value, '');
    }, '/settings?new=true'));
});

const secret: Setting = { key: 'k', value: 'v1.x', encrypted: true, category: 'c', updated_at: '2026-01-01T00:00:00Z' };
const plain: Setting = { ...secret, value: 'plain', encrypted: false };

describe('the form of a setting', () => {
  it('omits an unchanged category or encryption option from an update, so that concurrent changes are preserved', () => {
    const before = draftOf(plain);
    assert.deepEqual(inputOf({ ...before, value: 'new' }, before), { key: 'k', value: 'new' });
    assert.deepEqual(inputOf({ ...before, category: ' ' }, before), { key: 'k', value: 'plain', category: null });
    assert.deepEqual(inputOf({ ...before, encrypted: true }, before), { key: 'k', value: 'plain', encrypted: true });
  });

  it('starts with encryption on if its key looks like that of a secret', () => {
    for (const key of ['mail.smtp.password', 'stripe.apiKey', 'API_KEY', 'a.token', 'jwt-secret', 'db.private_key'])
      assert.ok(emptyDraft(key).encrypted, key);
    for (const key of ['upstream.retired.api_key', 'social.google.client_secret']) assert.ok(emptyDraft(key).encrypted);
    for (const key of ['mail.smtp.host', 'monkey', 'tokenizer', 'social.order', 'social.token.scopes', ''])
      assert.ok(!emptyDraft(key).encrypted, key);
  });

  it('rejects an empty encrypted value, but accepts an empty plain one', () => {
    assert.ok(draftProblems(draftOf(secret), secret).value);
    assert.deepEqual(draftProblems({ ...draftOf(plain), value: '' }, plain), {});
  });

  it('rejects an upstream API key that is empty or contains a space', () => {
    const draft = { key: 'upstream.identity-admin.api_key', value: 'two words', encrypted: true, category: '' };
    assert.ok(draftProblems(draft, undefined).value);
    assert.ok(draftProblems({ ...draft, value: '' }, undefined).value);
    assert.deepEqual(draftProblems({ ...draft, value: 'one-word' }, undefined), {});
    assert.ok(draftProblems({ ...draft, key: 'upstream.retired.api_key' }, undefined).value);
  });

  it('is stored during a sign-in without secret values', () => {
    for (const [draft, setting, value] of [
      [draftOf(plain), plain, 'typed'],
      [draftOf(secret), secret, ''],
      [{ ...draftOf(secret), encrypted: false }, secret, ''],
      [{ ...draftOf(plain), key: 'stripe.api_key' }, undefined, ''],
    ] as const)
      assert.equal(withoutSecret({ ...draft, value: 'typed' }, setting).value, value);
  });

  it('requires the key to be typed before an encrypted setting or an upstream API key is deleted', () => {
    const requiresKey = (setting: Setting) => deletionConsequences(setting).typeKey;
    assert.deepEqual(
      [requiresKey(plain), requiresKey(secret), requiresKey({ ...plain, key: 'upstream.oauth.api_key' })],
      [false, true, true],
    );
  });
});
