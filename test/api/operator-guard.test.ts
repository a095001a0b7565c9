import assert from 'node:assert/strict';
import type { Role } from '../../shared/capabilities.ts';
import { lockAccounts } from '../support/dashboard.ts';
import { startInterceptedDashboard } from '../support/intercepted-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { chunkedBody, exchangeBytes, RawConnection, requestHead } from '../support/raw-client.ts';

const IDENTITIES = '/api/identity-admin/admin/identities';
const SESSIONS = '/api/oauth-admin/admin/oauth2/auth/sessions';
const stateOf = (value: string): string => JSON.stringify([{ op: 'replace', path: '/state', value }]);
const STATE = stateOf('inactive');
const PROMOTION = [
  { op: 'replace', path: '/schema_id', value: 'operator' },
  { op: 'replace', path: '/traits', value: { email: 'eve@example.org', role: 'viewer' } },
];

interface Target {
  id: string;
  session: string;
  email: string;
}
type Act = [method: string, path: string, body?: string];

/** Everything that support may do to a person, in every way in which an act names somebody. */
const actsOn = ({ id, session, email }: Target): Act[] => [
  ['PATCH', `${IDENTITIES}/${id}`, stateOf('active')],
  ['PATCH', `${IDENTITIES}/${id.toUpperCase()}`, STATE],
  ['POST', '/api/security/locked-accounts/unlock', JSON.stringify({ identifier: ` ${email.toUpperCase()}` })],
  ['DELETE', `${SESSIONS}/consent?subject=${id}&all=true`],
  ['DELETE', `${SESSIONS}/login?subject=${id.toUpperCase()}`],
  ...['totp', 'lookup_secret', 'webauthn'].map((type): Act => ['DELETE', `${IDENTITIES}/${id}/credentials/${type}`]),
  ['DELETE', `/api/identity-admin/admin/sessions/${session}`],
  ['DELETE', `${IDENTITIES}/${id}/sessions`],
];

describe('a support engineer', () => {
  const env = { EXTRA_ROLES: 'support,auditor', PROXY_TIMEOUT_MS: '1000' };
  const suite = ofSuite(() => startInterceptedDashboard({ people: 20, env }));
  let targets: (Target & { role?: Role })[];

  before(async () => {
    const listed = await suite.read<
      { id: string; identity: { id: string; traits: { email?: string; role?: Role } } }[]
    >('/api/identity-admin/admin/sessions?expand=identity');
    const found = listed.map(({ id: session, identity: { id, traits } }) => ({ email: '', ...traits, id, session }));
    targets = [...new Map(found.map((one) => [one.id, one])).values()].filter(({ email }) => email !== '');
    await lockAccounts(
      suite.dashboard,
      targets.map(({ email }) => email),
    );
  });
  beforeEach(() => suite.upstream.reset());

  /** Somebody with a role, or a person without one, whom no other test has. */
  function take(role?: Role): Target {
    const found = targets.find((one) => one.role === role) ?? assert.fail(role);
    targets = targets.filter((one) => one !== found);
    return found;
  }

  async function statusOf([method, path, body]: Act): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const sent = { session: suite.sessions.support, method, ...(body && { body, headers }) };
    return (await suite.dashboard.call(path, sent)).status;
  }

  const writes = () => suite.upstream.requests.filter(({ method }) => method !== 'GET').map(({ body }) => body);

  for (const role of ['admin', 'viewer', 'auditor', 'support'] as const)
    it(`may do nothing to an operator with the role ${role}${role === 'support' ? ', such as themselves' : ''}`, async () => {
      for (const act of actsOn(take(role))) {
        const isOwnState = role === 'support' && act[0] === 'PATCH';
        assert.equal(await statusOf(act), isOwnState ? 409 : 403, act.join(' '));
      }
      assert.deepEqual(writes(), []);
    });

  it('may do everything of this to a person, until the moment at which the person is given a role', async () => {
    const [person, promoted] = [take(), take()];
    const statuses: number[] = [];
    for (const act of actsOn(person)) statuses.push(await statusOf(act));
    assert.deepEqual(statuses, [200, 200, 200, 204, 204, 404, 404, 404, 204, 204]);
    for (const act of actsOn(promoted).slice(0, 5)) assert.ok((await statusOf(act)) < 300);
    await fetch(`${suite.upstream.target}/admin/identities/${promoted.id}`, {
      method: 'PATCH',
      body: JSON.stringify(PROMOTION),
    });
    suite.upstream.reset();
    for (const act of actsOn({ ...promoted, email: 'eve@example.org' }))
      assert.equal(await statusOf(act), 403, act.join(' '));
    assert.deepEqual(writes(), []);
  });

  it('may not delay a write until long after the check by the body that comes with it', async () => {
    const cookie = `Cookie: dashboard-session=${suite.sessions.support}`;
    for (const [method, path] of actsOn(take()).filter(([method]) => method === 'DELETE'))
      for (const framing of ['Content-Length: 1', 'Transfer-Encoding: chunked']) {
        const head = requestHead(`${method} ${path}`, [cookie, framing]);
        const [refused] = await exchangeBytes(suite.dashboard.port, head);
        assert.equal(refused?.status, 403, head);
      }
    assert.deepEqual(writes(), []);
  });

  describe('changes a state', () => {
    const TYPE = 'Content-Type: application/json';
    const lengthOf = (body: string) => `Content-Length: ${body.length}`;
    const open = () => RawConnection.open(suite.dashboard.port);
    let head: (...headers: string[]) => string;
    before(() => {
      const line = `PATCH ${IDENTITIES}/${take().id}`;
      head = (...headers) => requestHead(line, [`Cookie: dashboard-session=${suite.sessions.support}`, ...headers]);
    });

    it('not by any other body or header, after which the connection is usable or closed', async () => {
      const bodies = [
        ...[`${STATE} `, STATE.replace(':', ': '), '[{"path":"/state","op":"replace","value":"inactive"}]', ''],
        // Of the same length.
        ...[STATE.replace('inactive', 'Inactive'), STATE.replace('/s', '/S'), STATE.replace('replace', 'REPLACE')],
        ...[stateOf('enabled'), STATE.replace('inactive', '\\u0069nactive'), STATE.replace('}', ',"value":"active"}')],
        ...[STATE.replace(']', ',{"op":"test"}]'), `\xef\xbb\xbf${STATE}`, STATE + ' '.repeat(70_000)],
      ];
      const chunked = [TYPE, 'Transfer-Encoding: chunked'];
      const heads = [
        ...[[TYPE, `Content-Length: 0${STATE.length}`], [lengthOf(STATE)], [`${TYPE}; charset=utf-8`, lengthOf(STATE)]],
        ...['gzip', 'identity', ''].map((coding) => [TYPE, `Content-Encoding: ${coding}`, lengthOf(STATE)]),
        ['Content-Type: application/json-patch+json', lengthOf(STATE)],
      ];
      for (const bytes of [
        ...bodies.map((body) => head(TYPE, lengthOf(body)) + body),
        ...heads.map((headers) => head(...headers) + STATE),
        ...[chunkedBody(STATE), chunkedBody(STATE).replace('\r', ';x=1\r')].map((body) => head(...chunked) + body),
        head(TYPE),
      ]) {
        const both = bytes + requestHead('GET /api/health');
        const [first, second] = await exchangeBytes(suite.dashboard.port, both, { count: 2 });
        assert.equal(first?.status, 403, bytes.slice(0, 999));
        assert.equal(second?.status ?? first.header('connection')[0], second === undefined ? 'close' : 200);
      }
      assert.deepEqual(writes(), []);
    });

    it('by exactly the bytes that were judged, even if they arrive one by one after 100 Continue', async () => {
      const connection = await open();
      connection.write(head(TYPE, lengthOf(STATE), 'Expect: 100-continue'));
      await connection.until(() => connection.pending.includes('100 Continue'));
      for (const byte of STATE) {
        connection.write(byte);
        await new Promise(setImmediate);
      }
      assert.equal((await connection.response()).status, 200);
      connection.close();
      assert.deepEqual(writes(), [STATE]);
    });

    it('not while the body is incomplete: 408 if the rest does not arrive, nothing if the client disconnects', async () => {
      const [stalled, closed] = await Promise.all([open(), open()]);
      for (const one of [stalled, closed]) one.write(head(TYPE, lengthOf(STATE)) + STATE.slice(0, -1));
      closed.close();
      assert.equal((await stalled.response()).status, 408);
      await stalled.untilClosed();
      assert.deepEqual(writes(), []);
    });
  });
});
