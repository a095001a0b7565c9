import assert from 'node:assert/strict';
import createKnex from 'knex';
import { ROUTES } from '../../docs/openapi/routes.ts';
import { createApp } from '../../server/app.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { createDeps } from '../../server/deps.ts';
import { silentLog } from '../support/context.ts';
import { type CallOptions, type Dashboard, startDashboard } from '../support/dashboard.ts';
import { documentedResponses, mountedRoutes } from '../support/documented-responses.ts';

describe('the table of routes', () => {
  const responses = documentedResponses();
  let dashboard: Dashboard;
  let admin: string;
  let viewer: string;
  before(async () => {
    // Its minutes are long enough for any machine.
    dashboard = await startDashboard({ monotonic: () => performance.now() / 10 });
    [admin, viewer] = [await dashboard.signIn('admin'), await dashboard.signIn('viewer')];
  });
  after(() => dashboard.close());

  /** Sends a request, by default as an administrator, and checks the response against the table. */
  async function ask(method: string, target: string, options: CallOptions = {}): Promise<number> {
    const response = await dashboard.call(target, { method, session: admin, ...options });
    await responses.check(method, target, response);
    return response.status;
  }

  it('holds every route that the service mounts, for the same capabilities, and no other', async () => {
    const config = parseConfig(dashboard.env);
    const deps = await createDeps(config, silentLog);
    await deps.close();
    const named = ({ method, path, who }: { method: string; path: string; who: string }) => `${method} ${path} ${who}`;
    assert.deepEqual(mountedRoutes(createApp(config, deps.app), deps.app).map(named).sort(), ROUTES.map(named).sort());
  });

  for (const { method, path, examples = [] } of ROUTES)
    it(`says what ${method.toUpperCase()} ${path} responds to nobody, a viewer and an administrator`, async () => {
      for (const [target] of examples)
        for (const session of [undefined, viewer, admin]) await ask(method, target, { session });
    });

  it('says what is responded to more than sixty unlocks or decryptions', async () => {
    const knex = createKnex(knexOptions(parseDatabaseUrl(dashboard.env.DATABASE_URL ?? ''), { warn: () => {} }));
    const row = { reason: 'wrong_password', attempts: 5, trigger_ip: null, locked_at: new Date().toISOString() };
    await knex('locked_accounts').insert({ identifier: 'ada@example.com', ...row });
    await knex.destroy();
    const session = await dashboard.signIn('admin');
    const unlock = { session, json: { identifier: 'ada@example.com' } };
    await ask('POST', '/api/settings', { json: { key: 'mail.password', value: 'a', encrypted: true } });
    const statuses = { unlock: new Map<number, number>(), decrypt: new Map<number, number>() };
    const count = (of: Map<number, number>, status: number): void => void of.set(status, (of.get(status) ?? 0) + 1);
    for (let number = 0; number <= 60; number += 1) {
      count(statuses.unlock, await ask('POST', '/api/security/locked-accounts/unlock', unlock));
      count(statuses.decrypt, await ask('GET', '/api/settings/mail.password?decrypt=true', { session }));
    }
    assert.deepEqual([statuses.unlock.get(429), statuses.decrypt.get(429)], [1, 1]);
  });
});
