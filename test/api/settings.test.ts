import assert from 'node:assert/strict';
import type { Setting, SettingHistory, SettingPage, SettingVersion, SocialConnections } from '../../shared/settings.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import { auditRecords } from '../support/audit-trail.ts';
import { startDashboard, startReplica } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { ofTest } from '../support/of-suite.ts';
import { echoRequest, startRawUpstream } from '../support/raw-upstream.ts';
import { ADMIN, assertError, newSqlite, startSettingsApp } from '../support/settings-app.ts';

const SETTINGS = '/api/settings';
const HISTORY = '/api/setting-history';
const SPECIAL_KEY = 'a/b %🔑&=+';

describe('the settings routes', () => {
  const sqlite = ofTest(newSqlite);
  const app = ofTest(() => startSettingsApp(sqlite.database));

  const post = (json: unknown, headers = {}) => app.call(SETTINGS, { json, headers });
  const restore = (json: unknown, headers = {}) => app.call(`${HISTORY}/restore`, { json, headers });
  const pathOf = (key: string) => `${SETTINGS}/${encodeURIComponent(key)}`;
  const deleteSetting = (key: string, headers = {}) => app.call(pathOf(key), { method: 'DELETE', headers });
  const etagOf = async (key: string): Promise<string> => (await app.call(pathOf(key))).headers.get('etag') ?? '';
  async function json<T>(path: string): Promise<T> {
    const response = await app.call(path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }
  const versionsOf = async (key: string, query = ''): Promise<SettingVersion[]> =>
    (await json<SettingHistory>(`${HISTORY}?key=${encodeURIComponent(key)}${query}`)).versions;

  describe('for stored settings', () => {
    it('respond 201 with a Location to a new setting, and 200 to an update', async () => {
      const created = await post({ key: SPECIAL_KEY, value: 'one', category: 'c' });
      const setting: Setting = {
        key: SPECIAL_KEY,
        value: 'one',
        encrypted: false,
        category: 'c',
        updated_at: '2026-01-01T00:00:00.000Z',
      };
      assert.equal(created.status, 201);
      assert.deepEqual(await created.json(), setting);
      const location = created.headers.get('location') ?? '';
      assert.equal(location, '/api/settings/a%2Fb%20%25%F0%9F%94%91%26%3D%2B');
      assert.deepEqual(await json(location), setting);
      const updated = await post({ key: SPECIAL_KEY, value: 'two' });
      assert.equal(updated.status, 200);
      assert.equal(updated.headers.get('location'), null);
      assert.deepEqual(await updated.json(), { ...setting, value: 'two' });
    });

    it('list settings of all categories if the category is empty', async () => {
      await post({ key: 'a', value: '', category: 'c' });
      for (const query of ['', '?category=', '?category=&page_size=1'])
        assert.equal((await json<SettingPage>(`${SETTINGS}${query}`)).settings.length, 1, query);
    });

    it('return a secret as ciphertext without decrypt=true, and respond 400 to an invalid or repeated decrypt', async () => {
      const written = (await (await post({ key: 'secret', value: 'hush', encrypted: true })).json()) as Setting;
      const credential = (await (await post({ key: 'social.google.client_secret', value: 'hush' })).json()) as Setting;
      for (const { value } of [written, credential]) assert.match(value, /^v1\./);
      for (const query of ['', '?decrypt=false', '?other=true'])
        assert.deepEqual(await json(`${pathOf('secret')}${query}`), written);
      assert.deepEqual(await json(`${pathOf('secret')}?decrypt=true`), { ...written, value: 'hush' });
      for (const query of ['decrypt=TRUE', 'decrypt=', 'decrypt=true&decrypt=true']) {
        const { message } = await assertError(await app.call(`${pathOf('secret')}?${query}`), 400, 'bad_request');
        assert.match(message, /^decrypt must/);
      }
    });

    it('respond 204 without a body to a deletion, and 404 for a setting that does not exist', async () => {
      await post({ key: 'a', value: '' });
      const deleted = await deleteSetting('a');
      assert.deepEqual([deleted.status, await deleted.text()], [204, '']);
      for (const [path, method] of [
        [pathOf('a'), 'GET'],
        [`${pathOf('a')}?decrypt=true`, 'GET'],
        [pathOf('a'), 'DELETE'],
        [pathOf('x'.repeat(5_000)), 'GET'],
      ] as const) {
        const response = await app.call(path, { method });
        assert.equal(response.status, 404);
        assert.deepEqual(await response.json(), { error: 'not_found', message: 'Setting not found.' });
      }
    });

    it('show ciphertext to a role with settings.read but without settings.decrypt, and respond 403 to its requests for plain text', async () => {
      for (const value of ['hush-1', 'hush-2']) await post({ key: 'secret', value, encrypted: true });
      const [version] = await versionsOf('secret');
      const reader = await startSettingsApp(sqlite.database, { viewerMay: 'settings.read' });
      reader.session.current = { ...ADMIN, role: 'viewer' };
      const history = `${HISTORY}?key=secret`;
      for (const path of [SETTINGS, `${SETTINGS}?decrypt=true`, `${SETTINGS}?page_size=9`, pathOf('secret'), history]) {
        const response = await reader.call(path);
        assert.equal(response.status, 200, path);
        assert.match(await response.text(), /"value":"v1\./, path);
      }
      for (const path of [pathOf('secret'), pathOf('absent'), `${history}&version=${version?.version}`]) {
        const query = `${path}${path.includes('?') ? '&' : '?'}decrypt=true`;
        for (const method of ['GET', 'HEAD']) assert.equal((await reader.call(query, { method })).status, 403, query);
      }
      assert.equal((await auditRecords(sqlite.database)).length, 2, 'only the two writes are recorded');
      await reader.close();
    });

    it('respond 405 with Allow to other methods', async () => {
      for (const [path, method, allow] of [
        [SETTINGS, 'PUT', 'GET, HEAD, POST'],
        [pathOf('a'), 'POST', 'GET, HEAD, DELETE'],
        ['/api/dashboard/layout', 'DELETE', 'GET, HEAD, PUT'],
      ] as const) {
        const response = await app.call(path, { method });
        assert.equal(response.headers.get('allow'), allow, `${method} ${path}`);
        await assertError(response, 405, 'method_not_allowed');
      }
    });

    it('respond 500 decryption_failed only if a secret that no key decrypts is requested in plain text', async () => {
      await post({ key: 'secret', value: 'hush', encrypted: true });
      const encryptionKey = 'a-new-key-0123456789-0123456789-abcdefghijk';
      const { call, close } = await startSettingsApp(sqlite.database, { encryptionKey });
      const response = await call(`${pathOf('secret')}?decrypt=true`);
      assert.match((await assertError(response, 500, 'decryption_failed')).message, /cannot be decrypted/);
      assert.equal((await call(pathOf('secret'))).status, 200);
      assert.equal((await call(SETTINGS)).status, 200);
      await close();
    });

    it('respond 503 while the database is unavailable', async () => {
      await sqlite.database.close();
      for (const [path, options] of [
        [pathOf('a'), {}],
        [SETTINGS, {}],
        [SETTINGS, { json: { key: 'a', value: '' } }],
        [`${HISTORY}/restore`, { json: { key: 'a', version: 1 } }],
        ['/api/dashboard/layout', {}],
        ['/api/connections/social', {}],
      ] as const)
        await assertError(await app.call(path, options), 503, 'service_unavailable');
    });
  });

  describe('for earlier versions', () => {
    it('list the versions of any key, and none for a key that was never stored', async () => {
      for (const value of ['one', 'two']) await post({ key: SPECIAL_KEY, value });
      const [version, ...others] = await versionsOf(SPECIAL_KEY);
      assert.deepEqual([version?.version, version?.value, version?.actor, others], [2, 'one', ADMIN.identityId, []]);
      assert.equal((await app.call(`${HISTORY}?key=absent`, { method: 'HEAD' })).status, 200);
    });

    it('return secrets as ciphertext, and a single one in plain text on request, which is rate-limited', async () => {
      for (const value of ['hush-1', 'hush-2', 'hush-3']) await post({ key: 'secret', value, encrypted: true });
      const listed = await versionsOf('secret');
      assert.equal(listed.length, 2);
      for (const { value } of listed) assert.match(value, /^v1\./);
      const [, first] = listed as [SettingVersion, SettingVersion];
      const query = `&version=${first.version}`;
      assert.deepEqual(await versionsOf('secret', query), [first]);
      assert.deepEqual(await versionsOf('secret', `${query}&decrypt=true`), [{ ...first, value: 'hush-1' }]);
      assert.equal(JSON.stringify([listed, app.logged]).includes('hush'), false);

      // Settings and their versions share one limit.
      for (let count = 1; count < 60; count += 1) {
        const path = count % 2 === 0 ? `${HISTORY}?key=secret${query}` : `${pathOf('secret')}?`;
        assert.equal((await app.call(`${path}&decrypt=true`)).status, 200);
      }
      const response = await app.call(`${HISTORY}?key=secret${query}&decrypt=true`);
      await assertError(response, 429, 'too_many_requests');
      assert.equal((await versionsOf('secret')).length, 2, 'ciphertext is not limited');
    });

    it('respond to a restoration with 200, the replaced version and the new ETag, or with 201 if the setting was deleted', async () => {
      await post({ key: 'a', value: 'one' });
      const written = await post({ key: 'a', value: 'two' });
      assert.equal(written.headers.get('kept-version'), '2');
      assert.equal(written.headers.get('etag'), await etagOf('a'));
      const restored = await restore({ key: 'a', version: 2 }, { 'if-match': written.headers.get('etag') ?? '' });
      assert.equal(restored.status, 200);
      assert.deepEqual([restored.headers.get('etag'), restored.headers.get('kept-version')], [await etagOf('a'), '3']);
      const updated_at = '2026-01-01T00:00:00.000Z';
      const setting: Setting = { key: 'a', value: 'one', encrypted: false, category: null, updated_at };
      assert.deepEqual(await restored.json(), setting);
      const deleted = await deleteSetting('a');
      assert.deepEqual([deleted.status, deleted.headers.get('kept-version')], [204, '4']);
      const created = await restore({ key: 'a', version: 4 }, { 'if-none-match': '*' });
      assert.deepEqual(
        [created.status, created.headers.get('location'), created.headers.get('kept-version'), await created.json()],
        [201, '/api/settings/a', null, setting],
      );
    });

    it('respond 412 and change nothing if the setting was changed or deleted since its ETag was read', async () => {
      await post({ key: 'a', value: 'one' });
      const etag = await etagOf('a');
      await post({ key: 'a', value: 'two' });
      async function assertNotMet(headers: object): Promise<void> {
        await assertError(await restore({ key: 'a', version: 2 }, headers), 412, 'precondition_failed');
        await assertError(await post({ key: 'a', value: 'three' }, headers), 412, 'precondition_failed');
      }
      for (const headers of [{ 'if-match': etag }, { 'if-match': `W/${etag}` }, { 'if-none-match': '*' }])
        await assertNotMet(headers);
      await assertError(await deleteSetting('a', { 'if-match': etag }), 412, 'precondition_failed');
      await deleteSetting('a');
      for (const headers of [{ 'if-match': etag }, { 'if-match': '*' }]) await assertNotMet(headers);
      assert.equal((await app.call(pathOf('a'))).status, 404);
      assert.equal((await auditRecords(sqlite.database)).length, 3);
    });

    it('respond 400 with the name of an invalid parameter', async () => {
      const credential = { key: 'upstream.oauth.api_key', version: 1 };
      const stored = { value: 'x', encrypted: 0, replaced_at: '2026-01-01T00:00:00.000Z' };
      const change = { actor: ADMIN.identityId, action: 'setting_write' };
      await sqlite.database.knex('setting_versions').insert({ ...credential, ...stored, ...change });
      for (const [response, message] of [
        [app.call(HISTORY), /^key is required/],
        [app.call(`${HISTORY}?key=a&decrypt=true`), /^version is required with decrypt=true/],
        [app.call(`${HISTORY}?key=a&version=0`), /^version must be a positive integer/],
        [app.call(HISTORY, { method: 'DELETE' }), /^key is required/],
        [restore({ key: 'a' }), /^version must be a positive integer/],
        [restore({ key: 'a', version: 1, value: 'x' }), /^"value" is not a known field/],
        [restore(credential), /^version was stored in plain text/],
      ] as const)
        assert.match((await assertError(await response, 400, 'bad_request')).message, message);
      assert.deepEqual(await auditRecords(sqlite.database), []);
    });
  });
});

describeOnDatabases('a setting written on another replica', (databases) => {
  const KEY = 'upstream.identity-admin.api_key';
  const upstream = ofTest(() => startRawUpstream(echoRequest));
  const dashboard = ofTest(async () =>
    startDashboard({
      storeFromSandbox: true,
      env: {
        DATABASE_URL: await databases.create(),
        // Longer than any test: a cached setting must be dropped, not expire.
        SETTINGS_CACHE_TTL_SECONDS: '3600',
        IDENTITY_ADMIN_URL: upstream.url,
      },
    }),
  );
  const replica = ofTest(() => startReplica(dashboard));
  let admin: string;
  beforeEach(async () => {
    admin = await dashboard.signIn('admin');
  });

  async function send(path: string, { method, json }: { method?: string; json?: object }): Promise<void> {
    const response = await dashboard.call(path, { session: admin, method, json });
    assert.ok(response.ok, await response.text());
  }
  const store = (key: string, value: string, encrypted = false): Promise<void> =>
    send(SETTINGS, { json: { key, value, encrypted } });
  /** The key that the replica sends to the upstream. */
  async function sentKey(): Promise<string | undefined> {
    upstream.requests.length = 0;
    const { status } = await replica.call('/api/identity-admin/x', { session: admin });
    assert.equal(upstream.requests.length, 1, `status ${status}`);
    return upstream.requests[0]?.header('authorization')[0];
  }
  async function get<T>(path: string): Promise<T> {
    return (await (await replica.call(path, { session: admin })).json()) as T;
  }
  const providers = async (): Promise<string[]> =>
    (await get<SocialConnections>('/api/connections/social')).providers.map(({ provider }) => provider);
  const isKeyStored = async (): Promise<boolean> =>
    (await get<Configuration>('/api/config')).upstreams['identity-admin'].api_key_stored;

  it('replaces the cached value for proxies, social providers and configuration, and is no longer used once deleted', async () => {
    await store(KEY, 'first', true);
    await store('social.github.client_id', 'id');
    await store('social.github.enabled', 'true');
    await eventually(
      async () => [await sentKey(), await providers(), await isKeyStored()],
      ['Bearer first', ['github'], true],
    );
    await store(KEY, 'second', true);
    await store('social.github.enabled', 'false');
    await eventually(sentKey, 'Bearer second');
    await eventually(providers, []);
    await send(`${SETTINGS}/${KEY}`, { method: 'DELETE' });
    await eventually(sentKey, undefined);
    await eventually(isKeyStored, false);
  });
});
