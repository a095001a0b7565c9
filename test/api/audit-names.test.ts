import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { SubjectName, SubjectNames } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from '../support/faulting-upstream.ts';

describe('the names of whom and what records are about', () => {
  let aheadMs = 0;
  let dashboard: Dashboard;
  let people: FaultingUpstream;
  let clients: FaultingUpstream;
  let session: string;
  let ada: SubjectName;
  let untouched: SubjectName;

  before(async () => {
    [people, clients] = [await startFaultingUpstream(), await startFaultingUpstream()];
    dashboard = await startDashboard({ monotonic: () => performance.now() + aheadMs });
    const { environment } = dashboard.sandbox;
    people.target = environment['IDENTITY_ADMIN_URL'] ?? '';
    clients.target = environment['OAUTH_ADMIN_URL'] ?? '';
    await dashboard.restart({ IDENTITY_ADMIN_URL: people.url, OAUTH_ADMIN_URL: clients.url });
    session = await dashboard.signIn('admin');
    ada = await person('Ada Lovelace', 'ada.l@example.org');
    untouched = await person('Nobody Changed', 'nobody.changed@example.org');
    await change(ada);
    await client('Web shop', 'shop one/1');
    await client('', 'nameless');
  });
  after(async () => {
    await dashboard?.close();
    await Promise.all([people?.close(), clients?.close()]);
  });
  beforeEach(() => {
    aheadMs += 60_000;
    people.calm();
    clients.calm();
  });

  /** Created past the dashboard, so that no record is about them. */
  async function person(name: string, email: string): Promise<SubjectName> {
    const response = await fetch(`${people.target}/admin/identities`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        schema_id: 'customer',
        traits: { email, name: { first: name.split(' ')[0], last: name.split(' ').slice(1).join(' ') } },
      }),
    });
    const { id } = (await response.json()) as { id: string };
    return { subject: `identity:${id}`, name };
  }
  const change = (who: SubjectName): Promise<Response> =>
    dashboard.call(`/api/identity-admin/admin/identities/${who.subject.split(':')[1]}`, {
      method: 'PATCH',
      session,
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    });
  const client = (client_name: string, client_id: string): Promise<Response> =>
    dashboard.call('/api/oauth-admin/admin/clients', { session, json: { client_id, client_name } });
  const ask = (subjects: readonly string[]): Promise<Response> =>
    dashboard.call(
      `/api/security/subject-names?${new URLSearchParams(subjects.map((subject) => ['subject', subject]))}`,
      {
        session,
      },
    );
  async function named(...subjects: string[]): Promise<SubjectName[]> {
    const response = await ask(subjects);
    assert.equal(response.status, 200);
    return ((await response.json()) as SubjectNames).names;
  }
  const SHOP = { subject: 'client:shop one/1', name: 'Web shop' } as const;
  const listings = (): number => people.seen.filter(({ path }) => path.startsWith('/admin/identities?')).length;

  it('are given of nobody and nothing that no record is about, and their servers are not asked', async () => {
    assert.deepEqual(await named(untouched.subject, 'client:untouched'), [
      { subject: untouched.subject, name: null },
      { subject: 'client:untouched', name: null },
    ]);
    assert.deepEqual([listings(), clients.seen], [0, []]);
  });

  it('come in the order of the question, and are remembered for a minute', async () => {
    await named(ada.subject, SHOP.subject);
    aheadMs += 58_000;
    assert.deepEqual(await named(SHOP.subject, 'client:nameless', ada.subject), [
      SHOP,
      { subject: 'client:nameless', name: null },
      ada,
    ]);
    assert.deepEqual([listings(), clients.seen.length], [1, 2]);
    aheadMs += 2_000;
    await named(ada.subject, SHOP.subject);
    assert.deepEqual([listings(), clients.seen.length], [2, 3]);
  });

  it('of the one are there while the server of the others fails, and theirs as soon as it is back', async () => {
    people.before = () => ({ status: 500, body: '{}' });
    assert.deepEqual(await named(ada.subject, SHOP.subject), [{ ...ada, name: null }, SHOP]);
    people.calm();
    clients.before = () => ({ status: 503, body: '{}' });
    aheadMs += 60_000;
    assert.deepEqual(await named(ada.subject, SHOP.subject), [ada, { ...SHOP, name: null }]);
    clients.calm();
    assert.deepEqual(await named(SHOP.subject), [SHOP]);
  });

  it('stand in no record and in no line of the log, and asking for them leaves no record', async () => {
    const trail = async (): Promise<AuditPage> =>
      (await (await dashboard.call('/api/security/audit?page_size=250', { session })).json()) as AuditPage;
    const before = await trail();
    await named(ada.subject, SHOP.subject);
    const after = await trail();
    assert.deepEqual(after, before);
    for (const text of [JSON.stringify(after), ...dashboard.logged])
      assert.doesNotMatch(text, /Lovelace|ada\.l@example\.org|Web shop/);
  });

  it('are asked for by one to a hundred subjects', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `client:made-up-${index}`);
    assert.equal((await named(...ids.slice(1))).length, 100);
    for (const subjects of [[], ids, ['client:'], ['identity:ada'], ['setting:a']])
      assert.equal((await ask(subjects)).status, 400, String(subjects));
  });
});
