import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { Setting, SettingPage } from '../../shared/settings.ts';
import { assertError, newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';
import { recordsOf } from '../support/vault.ts';

describe('the settings routes', () => {
  let database: Database;
  let remove: () => Promise<void>;
  let app: SettingsApp;

  beforeEach(async () => {
    ({ database, remove } = await newSqlite());
    app = await startSettingsApp(database);
  });
  afterEach(async () => {
    await app.close();
    await remove();
  });

  const post = (json: unknown) => app.call('/api/settings', { json });
  const at = (key: string) => `/api/settings/${encodeURIComponent(key)}`;

  it('create with 201 and a Location that leads back, update with 200', async () => {
    const created = await post({ key: 'a/b %🔑', value: 'one', category: 'c' });
    const setting: Setting = {
      key: 'a/b %🔑',
      value: 'one',
      encrypted: false,
      category: 'c',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    assert.equal(created.status, 201);
    assert.deepEqual(await created.json(), setting);
    const location = created.headers.get('location') ?? '';
    assert.equal(location, '/api/settings/a%2Fb%20%25%F0%9F%94%91');
    assert.deepEqual(await (await app.call(location)).json(), setting);
    const updated = await post({ key: 'a/b %🔑', value: 'two' });
    assert.equal(updated.status, 200);
    assert.equal(updated.headers.get('location'), null);
    assert.deepEqual(await updated.json(), { ...setting, value: 'two' });
  });

  it('list all settings where the category is empty, whole and by pages', async () => {
    await post({ key: 'a', value: '', category: 'c' });
    for (const query of ['', '?category=', '?category=&page_size=1'])
      assert.equal(((await (await app.call(`/api/settings${query}`)).json()) as SettingPage).settings.length, 1, query);
  });

  it('show ciphertext unless decrypt is exactly one true', async () => {
    const written = (await (await post({ key: 'secret', value: 'hush', encrypted: true })).json()) as Setting;
    const credential = (await (await post({ key: 'social.google.client_secret', value: 'hush' })).json()) as Setting;
    for (const { value } of [written, credential]) assert.match(value, /^v1\./);
    for (const query of ['', '?decrypt=false', '?other=true'])
      assert.deepEqual(await (await app.call(`${at('secret')}${query}`)).json(), written);
    assert.deepEqual(await (await app.call(`${at('secret')}?decrypt=true`)).json(), { ...written, value: 'hush' });
    for (const query of ['decrypt=TRUE', 'decrypt=', 'decrypt=true&decrypt=true']) {
      const { message } = await assertError(await app.call(`${at('secret')}?${query}`), 400, 'bad_request');
      assert.match(message, /^decrypt must/);
    }
  });

  it('delete with 204 and no body, and answer 404 for what is not there', async () => {
    await post({ key: 'a', value: '' });
    const deleted = await app.call(at('a'), { method: 'DELETE' });
    assert.deepEqual([deleted.status, await deleted.text()], [204, '']);
    for (const [path, method] of [
      [at('a'), 'GET'],
      [`${at('a')}?decrypt=true`, 'GET'],
      [at('a'), 'DELETE'],
      [at('x'.repeat(5_000)), 'GET'],
    ] as const) {
      const response = await app.call(path, { method });
      assert.equal(response.status, 404);
      assert.deepEqual(await response.json(), { error: 'not_found', message: 'Setting not found.' });
    }
  });

  it('answer 400 with the field’s name for a body that is not right, and store nothing', async () => {
    const bodies: [unknown, RegExp][] = [
      [{ key: 'a' }, /^value is required/],
      [{ key: 'upstream.oauth.api_key', value: 'x', encrypted: false }, /^encrypted must not be false/],
      [{ key: 'upstream.oauth.api_key', value: 'two words' }, /^value must be printable ASCII/],
      [[], /^The request body must be a JSON object/],
    ];
    for (const [body, message] of bodies)
      assert.match((await assertError(await post(body), 400, 'bad_request')).message, message);
    assert.deepEqual(await (await app.call('/api/settings')).json(), { settings: [] });
    assert.deepEqual(await recordsOf(database), []);
  });

  it('answer 405 with Allow to other methods', async () => {
    for (const [path, method, allow] of [
      ['/api/settings', 'PUT', 'GET, HEAD, POST'],
      [at('a'), 'POST', 'GET, HEAD, DELETE'],
      ['/api/dashboard/layout', 'DELETE', 'GET, HEAD, PUT'],
    ] as const) {
      const response = await app.call(path, { method });
      assert.equal(response.headers.get('allow'), allow, `${method} ${path}`);
      await assertError(response, 405, 'method_not_allowed');
    }
  });

  it('answer 500 decryption_failed for a ciphertext that no key opens, without a detail', async () => {
    await post({ key: 'secret', value: 'hush', encrypted: true });
    await app.close();
    app = await startSettingsApp(database, { encryptionKey: 'a-new-key-0123456789-0123456789-abcdefghijk' });
    const { message } = await assertError(await app.call(`${at('secret')}?decrypt=true`), 500, 'decryption_failed');
    assert.match(message, /cannot be decrypted/);
    assert.equal((await app.call(at('secret'))).status, 200);
    assert.equal((await app.call('/api/settings')).status, 200);
  });

  it('answer 503 while the database is away', async () => {
    await database.close();
    for (const [path, options] of [
      [at('a'), {}],
      ['/api/settings', {}],
      ['/api/settings', { json: { key: 'a', value: '' } }],
      ['/api/setting-history/restore', { json: { key: 'a', version: 1 } }],
      ['/api/dashboard/layout', {}],
      ['/api/connections/social', {}],
    ] as const)
      await assertError(await app.call(path, options), 503, 'service_unavailable');
  });
});
