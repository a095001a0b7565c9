import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { Setting, SettingPage } from '../../shared/settings.ts';
import { ADMIN, answered, newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';
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

  it('show ciphertext unless decrypt is exactly one true', async () => {
    const written = (await (await post({ key: 'secret', value: 'hush', encrypted: true })).json()) as Setting;
    const credential = (await (await post({ key: 'social.google.client_secret', value: 'hush' })).json()) as Setting;
    for (const { value } of [written, credential]) assert.match(value, /^v1\./);
    for (const query of ['', '?decrypt=false', '?other=true'])
      assert.deepEqual(await (await app.call(`${at('secret')}${query}`)).json(), written);
    assert.deepEqual(await (await app.call(`${at('secret')}?decrypt=true`)).json(), { ...written, value: 'hush' });
    for (const query of ['decrypt=TRUE', 'decrypt=', 'decrypt=true&decrypt=true']) {
      const { message } = await answered(await app.call(`${at('secret')}?${query}`), 400, 'bad_request');
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

  it('are one page where one is asked for, with a token for the next', async () => {
    for (const [key, category] of [
      ['a.one', 'x'],
      ['a.TWO', 'y'],
      ['b.two', 'y'],
    ])
      await post({ key, value: '', category });
    const page = async (query: string): Promise<SettingPage> =>
      (await (await app.call(`/api/settings?${query}`)).json()) as SettingPage;
    const keysIn = ({ settings }: SettingPage): string[] => settings.map(({ key }) => key);
    const first = await page('page_size=2');
    assert.deepEqual([keysIn(first), first.has_more, first.categories], [['a.TWO', 'a.one'], true, ['x', 'y']]);
    const last = await page(`page_token=${first.next_page_token}`);
    assert.deepEqual([keysIn(last), last.has_more, last.next_page_token], [['b.two'], false, null]);
    assert.deepEqual(keysIn(await page('key_contains=two&category=y')), ['a.TWO', 'b.two']);
    assert.deepEqual(Object.keys(await page('category=y')), ['settings']);
    for (const query of ['page_size=0', 'page_size=251', 'page_size='])
      await answered(await app.call(`/api/settings?${query}`), 400, 'invalid_page_size');
    for (const token of ['%20', 'YQ==', 'x'.repeat(2_049)])
      await answered(await app.call(`/api/settings?page_token=${token}`), 400, 'invalid_page_token');
    await answered(await app.call(`/api/settings?key_contains=${'x'.repeat(256)}`), 400, 'bad_request');
  });

  it('answer 400 with the field’s name for a body that is not right, and store nothing', async () => {
    const bodies: [unknown, RegExp][] = [
      [{ key: 'a' }, /^value is required/],
      [{ key: 'upstream.oauth.api_key', value: 'x', encrypted: false }, /^encrypted must not be false/],
      [{ key: 'upstream.oauth.api_key', value: 'two words' }, /^value must be printable ASCII/],
      [[], /^The request body must be a JSON object/],
    ];
    for (const [body, message] of bodies)
      assert.match((await answered(await post(body), 400, 'bad_request')).message, message);
    assert.deepEqual(await (await app.call('/api/settings')).json(), { settings: [] });
    assert.deepEqual(await recordsOf(database), []);
  });

  it('answer 405 with Allow to other methods', async () => {
    for (const [path, method, allow] of [
      ['/api/settings', 'PUT', 'GET, HEAD, POST'],
      [at('a'), 'POST', 'GET, HEAD, DELETE'],
      ['/api/setting-history', 'POST', 'GET, HEAD, DELETE'],
      ['/api/setting-history/restore', 'GET', 'POST'],
      ['/api/encrypt', 'GET', 'POST'],
      ['/api/dashboard/layout', 'DELETE', 'GET, HEAD, PUT'],
      ['/api/connections/social', 'POST', 'GET, HEAD'],
    ] as const) {
      const response = await app.call(path, { method });
      assert.equal(response.headers.get('allow'), allow, `${method} ${path}`);
      await answered(response, 405, 'method_not_allowed');
    }
  });

  it('answer other requests while a long list is written', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({
      key: `key-${String(index).padStart(6, '0')}`,
      value: 'x'.repeat(100),
      encrypted: 0,
      category: null,
      updated_at: '2026-01-01T00:00:00.000Z',
    }));
    await database.knex.batchInsert('settings', rows, 100);
    let listing = true;
    let others = 0;
    const list = app
      .call('/api/settings')
      .then((response) => response.json() as Promise<{ settings: Setting[] }>)
      .finally(() => {
        listing = false;
      });
    while (listing) {
      assert.equal((await app.call(at('key-000007'))).status, 200);
      others += 1;
    }
    assert.equal((await list).settings.length, rows.length);
    assert.ok(others > 1, 'other requests were answered during the list');
  });

  it('allow 60 decryptions a minute for each session, then 429 with Retry-After', async () => {
    await post({ key: 'secret', value: 'hush', encrypted: true });
    const reveal = () => app.call(`${at('secret')}?decrypt=true`);
    for (let count = 0; count < 60; count += 1) assert.equal((await reveal()).status, 200);
    const refused = await reveal();
    assert.equal(refused.headers.get('retry-after'), '60');
    await answered(refused, 429, 'too_many_requests');
    assert.equal((await app.call(at('secret'))).status, 200, 'ciphertext is not limited');
    app.session.current = { ...ADMIN, sessionId: 'another-session' };
    assert.equal((await reveal()).status, 200);
    app.session.current = ADMIN;
    app.clock.now += 60_000;
    assert.equal((await reveal()).status, 200);
  });

  it('answer 500 decryption_failed for a ciphertext that no key opens, without a detail', async () => {
    await post({ key: 'secret', value: 'hush', encrypted: true });
    await app.close();
    app = await startSettingsApp(database, { encryptionKey: 'a-new-key-0123456789-0123456789-abcdefghijk' });
    const { message } = await answered(await app.call(`${at('secret')}?decrypt=true`), 500, 'decryption_failed');
    assert.match(message, /cannot be decrypted/);
    assert.equal((await app.call(at('secret'))).status, 200);
    assert.equal((await app.call('/api/settings')).status, 200);
  });

  it('answer 503 while the database is away', async () => {
    await database.close();
    for (const [path, options] of [
      [at('a'), {}],
      [`${at('a')}?decrypt=true`, {}],
      [at('a'), { method: 'DELETE' }],
      ['/api/settings', {}],
      ['/api/settings', { json: { key: 'a', value: '' } }],
      ['/api/setting-history?key=a', {}],
      ['/api/setting-history/restore', { json: { key: 'a', version: 1 } }],
      ['/api/encrypt', { json: { value: '' } }],
      ['/api/dashboard/layout', {}],
      ['/api/dashboard/layout', { method: 'PUT', json: { layout: null } }],
      ['/api/connections/social', {}],
    ] as const)
      await answered(await app.call(path, options), 503, 'service_unavailable');
  });
});
