import assert from 'node:assert/strict';
import type { AuditPage, AuditRecord } from '../../shared/audit.ts';
import type { Role } from '../../shared/capabilities.ts';
import { knexOf } from '../support/dashboard.ts';
import { type ReceivedRequest, type StubResponse, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { startInterceptedDashboard } from '../support/intercepted-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { readIdentities, type StoredIdentity } from '../support/sandbox-fixture.ts';
import { assertError } from '../support/settings-app.ts';

const ROLES = ['admin', 'support'] as const;
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

describe('POST /api/identities/{id}/recovery', () => {
  const publicApi = ofSuite(startFaultingUpstream);
  const suite = ofSuite(() =>
    startInterceptedDashboard({ env: { EXTRA_ROLES: 'support,auditor', IDENTITY_URL: publicApi.url } }),
  );
  let people = 0;
  beforeEach(() => {
    suite.upstream.reset();
    publicApi.reset();
    publicApi.target = suite.dashboard.sandbox.environment.IDENTITY_URL ?? '';
  });

  const withAddress = (identity: StoredIdentity) => {
    const [address] = identity['recovery_addresses'] as { id: string; value: string }[];
    return { identity, id: identity.id, email: address?.value, json: { recovery_address_id: address?.id ?? '' } };
  };
  async function newPerson(members: { schema_id?: string; traits?: object; state?: string } = {}) {
    const traits = { email: `person-${++people}@example.test`, ...members.traits };
    const json = { schema_id: 'customer', ...members, traits };
    const created = await suite.call('/api/identity-admin/admin/identities', { json });
    return withAddress((await created.json()) as StoredIdentity);
  }
  const headers = { 'dashboard-reason': 'T-1' };
  const start = (id: string, json: unknown, role: Role = 'support'): Promise<Response> =>
    suite.dashboard.call(`/api/identities/${id}/recovery`, { session: suite.sessions[role], json, headers });
  const records = async (id: string): Promise<AuditRecord[]> =>
    (await suite.read<AuditPage>(`/api/security/audit?action=recovery_start&subject=identity:${id}`)).events;
  const sent = (): ReceivedRequest[] => publicApi.requests.filter(({ method }) => method === 'POST');

  for (const role of ROLES)
    it(`makes the store mail its link to that address, leaves a record, and shows nothing of it to the role ${role}`, async () => {
      const { id, email, json } = await newPerson();
      const logged = suite.dashboard.logged.length;
      const response = await start(id.toUpperCase(), json, role);
      assert.deepEqual([response.status, await response.text()], [202, '{}']);
      const [mail] = await (await fetch(`${suite.upstream.target}/admin/courier/messages`)).json();
      assert.deepEqual([mail?.recipient, mail?.template_type], [email, 'recovery_valid']);
      const link = /href="([^"]+)/.exec(mail?.body ?? '')?.[1] ?? '';
      assert.match(await (await fetch(link)).text(), /Choose a new password/);
      const actor = sessionIn(suite.sessions[role]).identityId;
      const found = (await records(id)).map((record) => [record.actor, record.details]);
      assert.deepEqual(found, [[actor, { ...json, reason: 'T-1' }]]);
      assert.doesNotMatch(suite.dashboard.logged.slice(logged).join(''), /example\.test|flow/);
    });

  it('refuses other bodies, and people and addresses that do not exist or cannot be used, without mail and record', async () => {
    const [one, other, inactive] = [await newPerson(), await newPerson(), await newPerson({ state: 'inactive' })];
    for (const [id, json, status, error] of [
      [one.id, { ...one.json, email: one.email }, 400, 'bad_request'],
      [one.id, { recovery_address_id: one.email }, 400, 'bad_request'],
      [one.id, other.json, 404, 'not_found'],
      [UNKNOWN, one.json, 404, 'not_found'],
      ['me', one.json, 404, 'not_found'],
      [inactive.id, inactive.json, 409, 'inactive'],
    ] as const)
      await assertError(await start(id, json), status, error);
    const addresses = [null, { id: one.json.recovery_address_id, via: 'sms', value: '+4712345678' }];
    const reachedByText = JSON.stringify({ ...one.identity, recovery_addresses: addresses });
    suite.upstream.before = () => ({ status: 200, body: reachedByText });
    await assertError(await start(one.id, one.json), 400, 'bad_request');
    suite.upstream.before = () => ({ status: 404, body: 'no such page' });
    await assertError(await start(one.id, one.json), 502, 'bad_gateway');
    assert.deepEqual([sent(), await records(one.id), await records(inactive.id)], [[], [], []]);
  });

  it('refuses operators and oneself to administrators too', async () => {
    await newPerson({ schema_id: 'operator', traits: { role: 'auditor' } });
    const operators = (await readIdentities(suite.upstream.target)).filter(({ schema_id }) => schema_id === 'operator');
    for (const { id, json } of operators.map(withAddress))
      for (const role of ROLES) {
        const { message } = await assertError(await start(id, json, role), 403, 'forbidden');
        assert.match(message, /recovery code/);
        assert.deepEqual([sent(), await records(id)], [[], []]);
      }
  });

  it('follows no redirect, passes on nothing of the public API, and accepts only the state sent_email', async () => {
    const flow = JSON.stringify({ id: UNKNOWN, state: 'choose_method' });
    const elsewhere = { status: 303, headers: { Location: `${publicApi.url}/elsewhere` } };
    for (const [created, posted, error] of [
      [elsewhere, undefined, 'upstream_error'],
      [{ status: 500, body: flow }, undefined, 'bad_gateway'],
      [{ status: 200, body: '{"id":"1&x=../../"}' }, undefined, 'bad_gateway'],
      [{ status: 200, body: `${flow}${' '.repeat(2_000_000)}` }, undefined, 'bad_gateway'],
      [undefined, elsewhere, 'upstream_error'],
      [undefined, { status: 400, body: flow }, 'upstream_error'],
      [undefined, { status: 200, body: flow }, 'upstream_error'],
      [undefined, { status: 502, body: '{"state":"sent_email"}' }, 'bad_gateway'],
    ] as [StubResponse | undefined, StubResponse | undefined, string][]) {
      const { id, json } = await newPerson();
      publicApi.requests.length = 0;
      publicApi.before = ({ method }) => (method === 'GET' ? created : posted);
      const { message } = await assertError(await start(id, json), 502, error);
      assert.equal(/flows\.recovery\.enabled.*methods\.link/.test(message), error === 'upstream_error', message);
      assert.deepEqual([publicApi.requests.length, (await records(id)).length], posted ? [2, 1] : [1, 0]);
    }
  });

  it('sends nothing if the record cannot be written, nor beyond three times an hour for a person', async () => {
    const { id, json } = await newPerson();
    const knex = knexOf(suite.dashboard);
    await knex.schema.renameTable('audit_head', 'renamed');
    await assertError(await start(id, json), 503, 'service_unavailable');
    await knex.schema.renameTable('renamed', 'audit_head');
    await knex.destroy();
    assert.deepEqual(sent(), []);
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => start(id, json)))).map(({ status }) => status);
    assert.deepEqual([statuses.toSorted(), sent().length], [[202, 202, 202, 429], 3]);
  });
});
