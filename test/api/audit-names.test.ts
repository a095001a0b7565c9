import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { Role } from '../../shared/capabilities.ts';
import { membersOf } from '../../shared/json.ts';
import type { OperatorName, OperatorNames, SubjectName, SubjectNames } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { startFaultingUpstream } from '../support/faulting-upstream.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import { readIdentities } from '../support/sandbox-fixture.ts';

const isList = ({ path }: { path: string }): boolean => path.startsWith('/admin/identities?');
async function auditPage(dashboard: Dashboard, session: string, query = 'page_size=250'): Promise<AuditPage> {
  return (await (await dashboard.call(`/api/security/audit?${query}`, { session })).json()) as AuditPage;
}

describe('GET /api/security/operators/names', () => {
  const UNKNOWN_ID = '1f0c2a9b-0000-4000-8000-000000000000';
  let elapsed = 0;
  const dashboard = ofSuite(() => startDashboard({ monotonic: () => performance.now() + elapsed }));
  const store = ofSuite(startFaultingUpstream);
  let session: string;
  let admin: OperatorName;
  let viewer: OperatorName;

  before(async () => {
    store.target = dashboard.sandbox.environment['IDENTITY_ADMIN_URL'] ?? '';
    // Operators are looked up only in their own store: the proxied one is unreachable.
    await dashboard.restart({ AUTH_IDENTITY_ADMIN_URL: store.url, IDENTITY_ADMIN_URL: 'http://127.0.0.1:9' });
    session = await dashboard.signIn('admin');
    admin = await operator('admin', 'Noor de Vries');
    viewer = await operator('viewer', 'Kwame Mensah');
  });
  beforeEach(() => {
    elapsed += 60_000;
    store.reset();
  });

  async function operator(role: Role, name: string): Promise<OperatorName> {
    const { identityId: identity_id, email } = sessionIn(await dashboard.signIn(role));
    return { identity_id, name, email };
  }
  async function namesBy(query: string): Promise<OperatorName[]> {
    const response = await dashboard.call(`/api/security/operators/names?${query}`, { session });
    assert.equal(response.status, 200);
    return ((await response.json()) as OperatorNames).names;
  }
  const namesOf = (...ids: string[]): Promise<OperatorName[]> => namesBy(ids.map((id) => `id=${id}`).join('&'));

  it('returns the names of operators from their own store, with one request for all of them', async () => {
    const { identity_id: id } = admin;
    const unknown = { identity_id: UNKNOWN_ID, name: null, email: null };
    // Who had no identity, before operators came from the store again.
    const former = { ...unknown, identity_id: `oidc:${'a'.repeat(32)}` };
    const names = await namesOf(former.identity_id, UNKNOWN_ID, viewer.identity_id, id.toUpperCase(), id);
    assert.deepEqual(names, [former, unknown, viewer, admin, admin]);
    const paths = store.requests.filter(isList).map(({ path }) => path);
    assert.deepEqual(paths, [`/admin/identities?ids=${UNKNOWN_ID}&ids=${viewer.identity_id}&ids=${id}&page_size=500`]);
  });

  it('finds an operator by a complete e-mail address, and records the search', async () => {
    assert.deepEqual(await namesBy(`identifier=${encodeURIComponent(viewer.email?.toUpperCase() ?? '')}`), [viewer]);
    assert.deepEqual(await namesBy('identifier=viewer%40example'), []);
    const { events } = await auditPage(dashboard, session, 'action=identity_search&page_size=1');
    assert.deepEqual([events[0]?.actor, events[0]?.target], [admin.identity_id, 'viewer@example']);
  });

  it('writes no name or e-mail address to audit records and log lines, except as the text of a search', async () => {
    await namesOf(admin.identity_id, viewer.identity_id);
    const records = (await auditPage(dashboard, session)).events.map((event) => JSON.stringify(event));
    assert.ok(records.some((record) => record.includes('"login"')));
    for (const text of [...records, ...dashboard.logged].filter((line) => !line.includes('identity_search')))
      for (const { name, email } of [admin, viewer])
        assert.ok(!text.includes(name ?? '') && !text.includes(email ?? ''), text);
  });
});

describe('GET /api/security/subject-names', () => {
  let elapsed = 0;
  const dashboard = ofSuite(() => startDashboard({ events: true, monotonic: () => performance.now() + elapsed }));
  const [people, clients] = [ofSuite(startFaultingUpstream), ofSuite(startFaultingUpstream)];
  let session: string;
  let ada: SubjectName;
  let unrecorded: SubjectName;
  const SHOP = { subject: 'client:shop one/1', name: 'Web shop' } as const;

  before(async () => {
    const { environment } = dashboard.sandbox;
    people.target = environment['IDENTITY_ADMIN_URL'] ?? '';
    clients.target = environment['OAUTH_ADMIN_URL'] ?? '';
    await dashboard.restart({ IDENTITY_ADMIN_URL: people.url, OAUTH_ADMIN_URL: clients.url });
    session = await dashboard.signIn('admin');
    ada = await createPerson('Ada Lovelace', 'ada.l@example.org');
    unrecorded = await createPerson('Nobody Changed', 'nobody.changed@example.org');
    await dashboard.call(`/api/identity-admin/admin/identities/${ada.subject.split(':')[1]}`, {
      method: 'PATCH',
      session,
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    });
    for (const [client_name, client_id] of [
      ['Web shop', 'shop one/1'],
      ['', 'nameless'],
    ])
      await dashboard.call('/api/oauth-admin/admin/clients', { session, json: { client_id, client_name } });
  });
  beforeEach(() => {
    elapsed += 60_000;
    people.reset();
    clients.reset();
  });

  /** Creates a person directly in the store, so that no audit record is about the person. */
  async function createPerson(name: string, email: string): Promise<SubjectName> {
    const [first, ...last] = name.split(' ');
    const response = await fetch(`${people.target}/admin/identities`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ schema_id: 'customer', traits: { email, name: { first, last: last.join(' ') } } }),
    });
    const { id } = (await response.json()) as { id: string };
    return { subject: `identity:${id}`, name };
  }
  function request(subjects: readonly string[]): Promise<Response> {
    const query = new URLSearchParams(subjects.map((subject) => ['subject', subject]));
    return dashboard.call(`/api/security/subject-names?${query}`, { session });
  }
  async function namesOf(...subjects: string[]): Promise<SubjectName[]> {
    const response = await request(subjects);
    assert.equal(response.status, 200);
    return ((await response.json()) as SubjectNames).names;
  }
  const requestCounts = (): number[] => [people.requests.filter(isList).length, clients.requests.length];

  it('returns no name for a subject without an audit record, and sends no request to look it up', async () => {
    assert.deepEqual(await namesOf(unrecorded.subject, 'client:unrecorded'), [
      { subject: unrecorded.subject, name: null },
      { subject: 'client:unrecorded', name: null },
    ]);
    assert.deepEqual(requestCounts(), [0, 0]);
  });

  it('returns the name of a subject that only the sign-in log is about', async () => {
    const { email } = dashboard.operator('viewer');
    const viewer = (await readIdentities(people.target)).find(({ traits }) => membersOf(traits)['email'] === email);
    const subject = `identity:${viewer?.id}` as const;
    assert.equal((await namesOf(subject))[0]?.name, null);
    await dashboard.failToSignIn(email);
    assert.notEqual((await namesOf(subject))[0]?.name, null);
  });

  it('returns names in the order of the query, and caches them for a minute', async () => {
    await namesOf(ada.subject, SHOP.subject);
    elapsed += 50_000;
    const names = await namesOf(SHOP.subject, 'client:nameless', ada.subject);
    assert.deepEqual(names, [SHOP, { subject: 'client:nameless', name: null }, ada]);
    assert.deepEqual(requestCounts(), [1, 2]);
    elapsed += 10_000;
    await namesOf(ada.subject, SHOP.subject);
    assert.deepEqual(requestCounts(), [2, 3]);
  });

  it('returns names from one server while the other fails, and from the other as soon as it responds again', async () => {
    people.before = () => ({ status: 500, body: '{}' });
    assert.deepEqual(await namesOf(ada.subject, SHOP.subject), [{ ...ada, name: null }, SHOP]);
    people.reset();
    clients.before = () => ({ status: 503, body: '{}' });
    elapsed += 60_000;
    assert.deepEqual(await namesOf(ada.subject, SHOP.subject), [ada, { ...SHOP, name: null }]);
    clients.reset();
    assert.deepEqual(await namesOf(SHOP.subject), [SHOP]);
  });

  it('adds no audit record, and writes no name to audit records or log lines', async () => {
    const before = await auditPage(dashboard, session);
    await namesOf(ada.subject, SHOP.subject);
    const after = await auditPage(dashboard, session);
    assert.deepEqual(after, before);
    for (const text of [JSON.stringify(after), ...dashboard.logged])
      assert.doesNotMatch(text, /Lovelace|ada\.l@example\.org|Web shop/);
  });

  it('accepts one to a hundred identities or clients as subjects, and responds 400 to other queries', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `client:made-up-${index}`);
    assert.equal((await namesOf(...ids.slice(1))).length, 100);
    for (const subjects of [[], ids, ['client:'], ['identity:ada'], ['setting:a']])
      assert.equal((await request(subjects)).status, 400, String(subjects));
  });
});
