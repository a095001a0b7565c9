import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { Setting, SettingHistory, SettingPage, SettingVersion } from '../../shared/settings.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { ADMIN, assertError, newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';
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

const PATH = '/api/setting-history';

describe('the routes of the history of settings', () => {
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

  const post = (json: unknown, headers = {}) => app.call('/api/settings', { json, headers });
  const restore = (json: unknown, headers = {}) => app.call(`${PATH}/restore`, { json, headers });
  const at = (key: string) => `/api/settings/${encodeURIComponent(key)}`;
  const tagOf = async (key: string): Promise<string> => (await app.call(at(key))).headers.get('etag') ?? '';
  async function versionsOf(key: string, query = ''): Promise<SettingVersion[]> {
    const response = await app.call(`${PATH}?key=${encodeURIComponent(key)}${query}`);
    assert.equal(response.status, 200);
    return ((await response.json()) as SettingHistory).versions;
  }

  it('list the versions of any key in the agreed form, none for a key that nobody stored', async () => {
    const key = 'a/b %🔑&=+';
    await post({ key, value: 'one', category: 'c' });
    app.clock.now += 60_000;
    await post({ key, value: 'two' });
    assert.deepEqual(await versionsOf(key), [
      {
        ...{ version: 2, value: 'one', encrypted: false, category: 'c' },
        ...{ at: '2026-01-01T00:01:00.000Z', actor: ADMIN.identityId, action: 'setting_write' },
      },
    ]);
    assert.deepEqual(await versionsOf('absent'), []);
    assert.equal((await app.call(`${PATH}?key=absent`, { method: 'HEAD' })).status, 200);
  });

  it('show secrets as ciphertext, and one in plain text on request, with a record and within the limit', async () => {
    for (const value of ['hush-1', 'hush-2', 'hush-3']) await post({ key: 'secret', value, encrypted: true });
    const listed = await versionsOf('secret');
    assert.equal(listed.length, 2);
    for (const { value } of listed) assert.match(value, /^v1\./);
    const [, first] = listed as [SettingVersion, SettingVersion];
    const one = `&version=${first.version}`;
    assert.deepEqual(await versionsOf('secret', one), [first]);
    assert.deepEqual(await versionsOf('secret', `${one}&decrypt=true`), [{ ...first, value: 'hush-1' }]);
    const records = await recordsOf(database);
    assert.deepEqual(records.at(-1)?.['details'], { opened: true, version: first.version });
    assert.equal(JSON.stringify([listed, records, app.logged]).includes('hush'), false);

    // The decryptions of settings and of their versions count together.
    for (let count = 1; count < 60; count += 1) {
      const path = count % 2 === 0 ? `${PATH}?key=secret${one}` : `${at('secret')}?`;
      assert.equal((await app.call(`${path}&decrypt=true`)).status, 200);
    }
    await assertError(await app.call(`${PATH}?key=secret${one}&decrypt=true`), 429, 'too_many_requests');
    assert.equal((await versionsOf('secret')).length, 2, 'ciphertext is not limited');
  });

  it('restore with 200, or 201 and a Location, with the version that was kept and the tag that the setting has now', async () => {
    await post({ key: 'a', value: 'one' });
    const written = await post({ key: 'a', value: 'two' });
    assert.equal(written.headers.get('kept-version'), '2');
    assert.equal(written.headers.get('etag'), await tagOf('a'));
    const restored = await restore({ key: 'a', version: 2 }, { 'if-match': written.headers.get('etag') ?? '' });
    assert.equal(restored.status, 200);
    assert.deepEqual([restored.headers.get('etag'), restored.headers.get('kept-version')], [await tagOf('a'), '3']);
    const setting: Setting = {
      ...{ key: 'a', value: 'one', encrypted: false, category: null },
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    assert.deepEqual(await restored.json(), setting);
    const deleted = await app.call(at('a'), { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.headers.get('kept-version')], [204, '4']);
    const back = await restore({ key: 'a', version: 4 }, { 'if-none-match': '*' });
    assert.deepEqual(
      [back.status, back.headers.get('location'), back.headers.get('kept-version'), await back.json()],
      [201, '/api/settings/a', null, setting],
    );
  });

  it('change nothing with 412 where the setting is another by now, or is gone', async () => {
    await post({ key: 'a', value: 'one' });
    const stale = { 'if-match': await tagOf('a') };
    await post({ key: 'a', value: 'two' });
    for (const headers of [stale, { 'if-match': `W/${stale['if-match']}` }, { 'if-none-match': '*' }]) {
      await assertError(await restore({ key: 'a', version: 2 }, headers), 412, 'precondition_failed');
      await assertError(await post({ key: 'a', value: 'three' }, headers), 412, 'precondition_failed');
    }
    await assertError(await app.call(at('a'), { method: 'DELETE', headers: stale }), 412, 'precondition_failed');
    await app.call(at('a'), { method: 'DELETE' });
    for (const headers of [stale, { 'if-match': '*' }]) {
      await assertError(await restore({ key: 'a', version: 2 }, headers), 412, 'precondition_failed');
      await assertError(await post({ key: 'a', value: 'three' }, headers), 412, 'precondition_failed');
    }
    assert.equal((await app.call(at('a'))).status, 404);
    assert.equal((await recordsOf(database)).length, 3);
  });

  it('answer 400 with the name of what is not right', async () => {
    for (const [response, message] of [
      [app.call(PATH), /^key is required/],
      [app.call(`${PATH}?key=a&decrypt=true`), /^version is required with decrypt=true/],
      [app.call(`${PATH}?key=a&version=0`), /^version must be a positive integer/],
      [app.call(PATH, { method: 'DELETE' }), /^key is required/],
      [restore({ key: 'a' }), /^version must be a positive integer/],
      [restore({ key: 'a', version: 1, value: 'x' }), /^"value" is not a known field/],
    ] as const)
      assert.match((await assertError(await response, 400, 'bad_request')).message, message);
    assert.deepEqual(await recordsOf(database), []);
  });
});

const KEY = 'upstream.identity-admin.api_key';

describeOnDatabases('a setting that is written elsewhere', (databases) => {
  let upstream: RawUpstream;
  let dashboard: Dashboard;
  let replica: Replica | undefined;
  let admin: string;
  let databaseUrl: string;

  beforeEach(async () => {
    databaseUrl = await databases.create();
    upstream = await startRawUpstream(echo);
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: {
        DATABASE_URL: databaseUrl,
        // What is cached would outlast every test.
        SETTINGS_CACHE_TTL_SECONDS: '3600',
        IDENTITY_ADMIN_URL: upstream.url,
      },
    });
    admin = await dashboard.signIn('admin');
  });
  afterEach(async () => {
    await replica?.close();
    await dashboard.close();
    await upstream.close();
  });

  const write = async (method: 'POST' | 'DELETE', path: string, json?: object): Promise<void> => {
    const response = await dashboard.call(path, { session: admin, method, json });
    assert.ok(response.ok, await response.text());
  };
  const store = (value: string): Promise<void> => write('POST', '/api/settings', { key: KEY, value, encrypted: true });
  /** What the replica sends to the upstream; its status where it sends nothing. */
  async function sentBy({ call }: Replica): Promise<string | number | undefined> {
    upstream.requests.length = 0;
    const { status } = await call('/api/identity-admin/x', { session: admin });
    return upstream.requests.length === 0 ? status : upstream.requests.at(-1)?.header('authorization')[0];
  }

  it('is used no longer by the proxy, the social providers and the configuration once it is replaced or deleted', async () => {
    await store('first');
    for (const [key, value] of [
      ['social.github.client_id', 'id'],
      ['social.github.enabled', 'true'],
    ])
      await write('POST', '/api/settings', { key, value });
    const other = await replicaOf(dashboard);
    replica = other;
    const providers = async (): Promise<string[]> => {
      const response = await other.call('/api/connections/social');
      return ((await response.json()) as { providers: { provider: string }[] }).providers.map(
        ({ provider }) => provider,
      );
    };
    const hasKey = async (): Promise<boolean> => {
      const response = await other.call('/api/config', { session: admin });
      return ((await response.json()) as Configuration).upstreams['identity-admin'].api_key_stored;
    };
    assert.deepEqual([await sentBy(other), await providers(), await hasKey()], ['Bearer first', ['github'], true]);
    await store('second');
    await write('POST', '/api/settings', { key: 'social.github.enabled', value: 'false' });
    await eventually(() => sentBy(other), 'Bearer second');
    await eventually(providers, []);
    await write('DELETE', `/api/settings/${KEY}`);
    await eventually(() => sentBy(other), undefined);
    await eventually(hasKey, false);
  });
});
