import assert from 'node:assert/strict';
import { eventUpkeep } from '../../server/events/event-upkeep.ts';
import { silentLog } from '../support/context.ts';
import { knexOf, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startFaultingUpstream } from '../support/faulting-upstream.ts';
import { idOf, START } from '../support/index-rig.ts';
import { ofSuite, ofTest } from '../support/of-suite.ts';
import { newSqlite } from '../support/settings-app.ts';

const AT = new Date(START).toISOString();
/** Requests about the identity or client ID, and whether they delete it. */
const REQUESTS = `
no PATCH identity-admin/admin/identities
no DELETE identity-admin/admin/identities/ID/credentials/totp
no DELETE identity-admin/admin/identities/ID/sessions
no DELETE identity-admin/admin/sessions/ID
no DELETE oauth-admin/admin/oauth2/tokens?client_id=ID
identity DELETE identity-admin/admin/identities/ID
identity DELETE iam-identity-admin/admin/identities/ID
identity DELETE identity-admin//identities/./%30ID/
identity DELETE identity-admin/admin/identities/{urn:uuid:ID}
client DELETE oauth-admin/admin/clients/ID
client DELETE oauth-admin/clients/%30ID/`;

describe('what is stored of identities and clients, after a deletion', () => {
  const upstream = ofSuite(startFaultingUpstream);
  const dashboard = ofSuite(() => {
    const { url } = upstream;
    const apis = { IDENTITY_ADMIN_URL: url, IAM_IDENTITY_ADMIN_URL: url, OAUTH_ADMIN_URL: url };
    return startDashboard({ storeFromSandbox: true, env: { EVENTS_PORT: '0', ...apis } });
  });
  const sqlite = ofTest(newSqlite);

  it('has nothing on people whom the proxies deleted, however the path is spelled, and all on others; notes are those of the own store', async () => {
    upstream.before = () => ({ status: 204 });
    const requests = [...REQUESTS.matchAll(/^(\w+) (\w+) (.+)$/gm)].map(([, ...parts]) => parts);
    const knex = knexOf(dashboard);
    const row = { at: AT, trace: '', service: 'kratos', network: '', failure: 0, number: 1 };
    for (const [index, [, method, path]] of requests.entries()) {
      const id = idOf(index);
      await knex('sign_in_events').insert({ ...row, event: `${index}`, identity: id });
      await knex('client_uses').insert({ client: id, last_used: AT });
      const note = { id, identity: id, author: id, text: 'x', created_at: AT, updated_at: AT };
      await knex('identity_notes').insert(note);
      await dashboard.call(`/api/${path?.replace('%30ID', `%30${id.slice(1)}`).replace('ID', id)}`, { method });
    }
    const left = async () => [
      await knex('sign_in_events').orderBy('identity').pluck('identity'),
      await knex('client_uses').orderBy('client').pluck('client'),
      await knex('identity_notes').orderBy('identity').pluck('identity'),
    ];
    const without = (kind: string) => requests.flatMap(([deleted], index) => (deleted === kind ? [] : [idOf(index)]));
    const other = idOf(requests.findIndex(([, , path]) => path?.startsWith('iam-identity-admin')));
    const noted = [...without('identity'), other].sort();
    await eventually(left, [without('identity'), without('client'), noted]).finally(() => knex.destroy());
  });

  it('is nothing of clients deleted past the dashboard after hours: the service looks up a few each hour', async () => {
    const { database } = sqlite;
    const { knex } = database;
    let hours = 25;
    const lookedUp: string[] = [];
    const now = () => START + hours * 3_600_000;
    const isClientGone = async (id: string) => lookedUp.push(id) > 0 && id === idOf(24);
    const { run, stop } = eventUpkeep({
      ...{ database, days: 30, now, monotonic: now, log: silentLog, isClientGone },
      ...{ store: { flushSources: async () => {} }, answersSince: async () => undefined },
    });
    const ids = Array.from({ length: 26 }, (_, number) => idOf(number));
    const lastUsed = (client: string): string => (client === idOf(25) ? '2026-01-02T00:30:00.000Z' : AT);
    await knex('client_uses').insert(ids.map((client) => ({ client, last_used: lastUsed(client) })));
    const token = { event: 'token', client: idOf(24), grant_type: '', slot: AT.slice(0, 13), number: 1 };
    await knex('event_counts').insert(token);
    for (; hours < 28; hours += 1) {
      await run();
      assert.ok(lookedUp.length <= 10 * (hours - 24));
    }
    await stop();
    assert.deepEqual(lookedUp.sort(), ids.slice(0, 25));
    assert.deepEqual(await knex('client_uses').orderBy('client').pluck('client'), ids.toSpliced(24, 1));
    assert.deepEqual(await knex('event_counts'), []);
  });
});
