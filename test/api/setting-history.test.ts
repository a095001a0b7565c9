import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { Setting, SettingHistory, SettingVersion } from '../../shared/settings.ts';
import { ADMIN, assertError, newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';
import { recordsOf } from '../support/vault.ts';

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
