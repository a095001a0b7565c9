import assert from 'node:assert/strict';
import request from 'supertest';
import type { Configuration } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('behind the gate', () => {
  let dashboard: Dashboard;
  let admin: string[];

  before(async () => {
    dashboard = await startDashboard();
    admin = [`dashboard-session=${await dashboard.signIn('admin')}`];
  });
  after(() => dashboard.close());

  const api = () => request(dashboard.url);
  const put = (setting: object) => api().post('/api/settings').set('Cookie', admin).send(setting);

  it('the configuration names what is present, and neither an address nor a secret', async () => {
    const { body, text, headers } = await api().get('/api/config').set('Cookie', admin).expect(200);
    const configuration = body as Configuration;
    assert.equal(configuration.deployment, 'customer');
    assert.match(configuration.version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(configuration.upstreams['identity-admin'], { configured: true, api_key_stored: false });
    assert.deepEqual(configuration.upstreams['iam-identity'], { configured: false, api_key_stored: false });
    assert.equal(configuration.features.operator_schemas_restricted, true);
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|sqlite|key-of-the-tests/);
    assert.equal(headers['cache-control'], 'no-store');
  });

  it('social providers show to anyone as soon as they are enabled, without their secrets', async () => {
    assert.deepEqual((await api().get('/api/connections/social').expect(200)).body, { providers: [] });
    await put({ key: 'social.github.client_id', value: 'client-id-of-github' }).expect(201);
    await put({ key: 'social.github.client_secret', value: 'secret-of-github' }).expect(201);
    await put({ key: 'social.github.enabled', value: 'true' }).expect(201);
    const { body, text } = await api().get('/api/connections/social').expect(200);
    assert.deepEqual(body, { providers: [{ provider: 'github', display_name: 'github', enabled: true }] });
    assert.doesNotMatch(text, /client-id|secret/);
    await api().post('/api/connections/social').expect(405).expect('Allow', 'GET, HEAD');
  });

  it('a value encrypted for a setting is never the same twice, and nothing but text', async () => {
    const encrypt = async (body: object): Promise<string> =>
      ((await api().post('/api/encrypt').set('Cookie', admin).send(body).expect(200)).body as { encrypted: string })
        .encrypted;
    assert.match(await encrypt({ value: 'x', key: 'mail.password' }), /^v1(?:\.[\w-]+){4}$/);
    assert.notEqual(await encrypt({ value: 'x' }), await encrypt({ value: 'x' }));
    await api().post('/api/encrypt').set('Cookie', admin).send({ value: 1 }).expect(400);
  });
});
