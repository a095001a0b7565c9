import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { Setting } from '../../shared/settings.ts';
import { ADMIN, answered, newSqlite, type SettingsApp, startSettingsApp } from '../support/settings-app.ts';

describe('routes beside the settings', () => {
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

  describe('POST /api/encrypt', () => {
    const encrypt = async (json: unknown) =>
      ((await (await app.call('/api/encrypt', { json })).json()) as { encrypted: string }).encrypted;
    const plant = async (key: string, ciphertext: string) => {
      await post({ key, value: 'x', encrypted: true });
      await database.knex('settings').where({ key }).update({ value: ciphertext });
      return app.call(`${at(key)}?decrypt=true`);
    };

    it('gives a ciphertext that opens as that setting’s and as no other’s', async () => {
      const encrypted = await encrypt({ value: 'hush', key: 'mine' });
      assert.match(encrypted, /^v1\.[\w-]+\.[\w-]+\.[\w-]+\.[\w-]*$/);
      assert.equal(((await (await plant('mine', encrypted)).json()) as Setting).value, 'hush');
      await answered(await plant('other', encrypted), 500, 'decryption_failed');
    });

    it('gives, without a key, one that opens in no setting', async () => {
      const encrypted = await encrypt({ value: 'hush' });
      for (const key of ['value', 'no setting', 'undefined', 'null'])
        await answered(await plant(key, encrypted), 500, 'decryption_failed');
    });

    it('stores nothing, and refuses what no setting could hold', async () => {
      await encrypt({ value: 'hush', key: 'mine' });
      assert.equal((await app.call(at('mine'))).status, 404);
      for (const json of [
        {},
        { key: 'a' },
        { value: 1 },
        { value: '', key: ' a' },
        { value: '', key: null },
        { value: '', x: 1 },
      ])
        await answered(await app.call('/api/encrypt', { json }), 400, 'bad_request');
      await answered(await app.call('/api/encrypt', { json: { value: 'x'.repeat(65_537) } }), 400, 'bad_request');
    });
  });

  describe('the dashboard layout', () => {
    const put = (json: unknown) => app.call('/api/dashboard/layout', { method: 'PUT', json });
    const read = async () => (await app.call('/api/dashboard/layout')).json();
    const layout = { layout: { widgets: [{ id: 'health', x: 0, y: 0, w: 6, h: 2 }], hidden: [] } };

    it('is null at first, then what was put, for each operator alone', async () => {
      assert.deepEqual(await read(), { layout: null });
      const response = await put(layout);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), layout);
      app.session.current = { ...ADMIN, identityId: 'bob', role: 'viewer' };
      assert.deepEqual(await read(), { layout: null });
      app.session.current = ADMIN;
      assert.deepEqual(await read(), layout);
      await put({ layout: null });
      assert.deepEqual(await read(), { layout: null });
    });

    it('is refused where the handler itself finds no session, before anything else', async () => {
      app.session.current = undefined;
      await answered(await app.call('/api/dashboard/layout'), 401, 'not_authenticated');
      await answered(await put({ nonsense: true }), 401, 'not_authenticated');
    });

    it('stays as it was when a put is refused', async () => {
      await put(layout);
      await answered(
        await put({ layout: { widgets: [{ id: 'x', x: 0, y: 0, w: 13, h: 1 }], hidden: [] } }),
        400,
        'bad_request',
      );
      assert.deepEqual(await read(), layout);
    });
  });

  describe('GET /api/connections/social', () => {
    const providers = async () =>
      ((await (await app.call('/api/connections/social')).json()) as { providers: unknown[] }).providers;
    const provider = async (name: string, settings: Record<string, string>) => {
      for (const [field, value] of Object.entries(settings)) await post({ key: `social.${name}.${field}`, value });
    };

    it('lists those with a client id that are enabled, in their order, and shows a change at once', async () => {
      assert.deepEqual(await providers(), []);
      await provider('google', { client_id: 'g', client_secret: 'hush', enabled: 'true', display_name: 'Google' });
      await provider('github', { client_id: 'h', enabled: 'true', scopes: 'user:email' });
      await provider('apple', { client_id: 'a', enabled: 'TRUE' });
      await provider('facebook', { enabled: 'true', client_secret: 'hush' });
      await provider('x', { client_id: '', enabled: 'true' });
      await provider('company.sso', { client_id: 'c', enabled: 'true' });
      const named = (name: string, display_name = name) => ({ provider: name, display_name, enabled: true });
      assert.deepEqual(await providers(), [named('company.sso'), named('github'), named('google', 'Google')]);
      await post({ key: 'social.order', value: 'google, unknown, github' });
      assert.deepEqual(await providers(), [named('google', 'Google'), named('github'), named('company.sso')]);
      await post({ key: 'social.github.enabled', value: 'false' });
      await app.call(at('social.company.sso.client_id'), { method: 'DELETE' });
      assert.deepEqual(await providers(), [named('google', 'Google')]);
      assert.equal((await (await app.call('/api/connections/social')).text()).includes('hush'), false);
    });

    it('leaves out a provider whose client id no key opens', async () => {
      await provider('google', { client_id: 'g', enabled: 'true' });
      await provider('github', { client_id: 'h', enabled: 'true' });
      await database.knex('settings').where({ key: 'social.google.client_id' }).update({ encrypted: 1 });
      assert.deepEqual(await providers(), [{ provider: 'github', display_name: 'github', enabled: true }]);
    });
  });
});
