import assert from 'node:assert/strict';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { startDashboard } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { idOf } from '../support/index-rig.ts';
import { ofSuite } from '../support/of-suite.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { echoRequest, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const PERSON = `/api/identity-admin/admin/identities/${idOf(1)}`;
const DEACTIVATE = JSON.stringify([{ op: 'replace', path: '/state', value: 'inactive' }]);
const INACTIVE = { changed: ['/state'], state: 'inactive' };
const JSON_TYPE = 'Content-Type: application/json';

describe('the record of a write through the proxies', () => {
  let operator: string | undefined;
  const proxies = proxiesOfTest({ operator: () => operator });
  const { upstream, open, send } = proxies;
  beforeEach(() => {
    operator = undefined;
  });

  async function recorded(count: number) {
    const { writes } = proxies.app;
    await until(() => writes.length >= count);
    return writes;
  }

  it('names operator, target, method, status and address for each unsafe method on an admin prefix', async () => {
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE'];
    operator = 'op-1';
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await send(`${method} /api/identity-admin/x`);
    await send('POST /api/identity/x');
    for (const method of methods)
      await send(`${method} /api/identity-admin/admin/identities/1?secret=2`, ['Content-Length: 6'], 'secret');
    assert.deepEqual(
      await recorded(4),
      methods.map((method) => ({
        action: 'proxy_write',
        actor: 'op-1',
        target: '/api/identity-admin/admin/identities/1',
        details: { method, status: 200, peer: '127.0.0.1' },
      })),
    );
  });

  it('names the person or client in the body or query, but no subject that may be an address', async () => {
    const [id, other, sessions] = [idOf(1), idOf(2), 'oauth2/auth/sessions'];
    const CLIENT = '/api/oauth-admin/admin/clients/a%20b%2Fc';
    const recovery = JSON.stringify({ identity_id: id.toUpperCase(), expires_in: '1h' });
    const accept = 'PUT oauth-admin/admin/oauth2/auth/requests/login/accept?login_challenge=1';
    for (const [line, body, location, client] of [
      ['POST identity-admin/admin/recovery/code', recovery, PERSON],
      ['POST identity-admin/recovery/link?return_to=/', recovery, PERSON],
      ['POST identity-admin/admin//Recovery/%63ode/', recovery, PERSON],
      ['POST identity-admin/admin/recovery/code', `{"identity_id":"{urn:uuid:${id.replaceAll('-', '')}}"}`, PERSON],
      ['POST iam-identity-admin/admin/recovery/code', recovery, PERSON.replace('identity', 'iam-identity')],
      ['POST identity-admin/admin/recovery/code', '{"identity_id":"ada@example.com"}'],
      ['POST identity-admin/admin/recovery/code', '{}'],
      [`DELETE identity-admin/admin/identities/urn:uuid:${id}`, '', PERSON],
      [`PATCH identity-admin/identities/${id.replaceAll('-', '')}`, '[]', PERSON],
      ['POST oauth-admin/admin/trust/grants/jwt-bearer/issuers', `{"subject":"${id}"}`, PERSON],
      [accept, `{"subject":"${id}"}`, PERSON],
      [accept, '{"subject":"ada@example.com"}'],
      [accept.replace('login', 'consent'), `{"subject":"${id}"}`],
      [`DELETE oauth-admin/admin/${sessions}/consent?subject=${id.toUpperCase()}&client=a%20b`, '', PERSON, 'a b'],
      [`DELETE oauth-admin/admin/${sessions}/consent?consent_request_id=1&identity=${id}`, '', PERSON],
      [`DELETE oauth-admin/admin/${sessions}/consent?subject=&identity=${id}`, '', PERSON],
      [`DELETE oauth-admin/${sessions}/login?subject=${id}`, '', PERSON],
      // Hydra ends the session and ignores the subject.
      [`DELETE oauth-admin/${sessions}/login?subject=${id}&sid=1`, ''],
      [`DELETE oauth-admin/admin/${sessions}/consent?subject=a@example.com&all=true`, ''],
      [`DELETE oauth-admin/admin/${sessions}/consent?identity=${other}&x=?&subject=a@example.com`, ''],
      [`DELETE oauth-admin/admin/clients/x?subject=${id}`, ''],
      ['DELETE oauth-admin/admin/oauth2/tokens?client_id=a%20b/c', '', CLIENT],
      [`DELETE oauth-admin/admin/oauth2/tokens?client_id=${'%C3%A9'.repeat(500)}`, ''],
      ['POST oauth-admin/admin/oauth2/introspect', `token=${id}`],
    ] as const) {
      proxies.app.writes.length = 0;
      const [method, path] = line.split(' ');
      const { status } = await send(`${method} /api/${path}`, [`Content-Length: ${body.length}`], body);
      assert.equal(status, 200, `${line} ${body}`);
      const [{ target: recordedTarget, details } = assert.fail(line)] = await recorded(1);
      assert.deepEqual([details.location, details.client], [location, client], `${line} ${body}`);
      assert.ok(!recordedTarget.includes('?'));
      assert.equal((await upstream.requests.at(-1)?.body)?.toString(), body);
    }
  });

  it('is refused if it could hide whom it concerns, and then not forwarded', async () => {
    const [id, code] = [idOf(1), 'POST /api/identity-admin/admin/recovery/code'];
    for (const [line, body, status, ...headers] of [
      [code, `{"identity_id":"${id}","Identity_ID":"${idOf(2)}"}`, 400],
      [code, `{"IDENTITY_ID":"${id}"}`, 400],
      [code, `{"identity_id":"${id}","identity_id":null}`, 400],
      [code, `{"identity_id":["${id}"]}`, 400],
      [code, `{"identity_id":"${id}"} {}`, 400],
      [code, '', 400],
      [code, `{"x":"${' '.repeat(65_536)}","identity_id":"${id}"}`, 413],
      [code, `{"identity_id":"${id}"}`, 415, 'Content-Encoding: gzip'],
      [`DELETE /api/oauth-admin/admin/oauth2/tokens?client_id=a&client%5fid=b`, '', 400],
      [`DELETE /api/oauth-admin/admin/oauth2/auth/sessions/login?subject=a&subject=${id}`, '', 400],
    ] as const)
      assert.equal((await send(line, [`Content-Length: ${body.length}`, ...headers], body)).status, status, line);
    assert.deepEqual([upstream.requests.length, proxies.app.writes.length], [0, 0]);
  });

  it('names “anonymous” without an operator, and is written even if the upstream refuses or is unreachable', async () => {
    proxies.handler = (_request, socket) =>
      socket.write(rawResponse('409 Conflict', ['Content-Type: application/json'], '{}'));
    await send('POST /api/identity-admin/x');
    await upstream.close();
    await send('POST /api/identity-admin/y');
    assert.deepEqual(
      (await recorded(2)).map(({ actor, details }) => [actor, details.status]),
      [
        ['anonymous', 409],
        ['anonymous', 502],
      ],
    );
  });

  const request = (line: string, body: string, type = JSON_TYPE): string =>
    requestHead(line, [type, `Content-Length: ${body.length}`]) + body;
  const changeIn = ({ details: { changed, state } }: ProxiedWrite): unknown => ({
    ...(changed && { changed }),
    ...(state && { state }),
  });
  /** Sends a request. @returns the change in its record */
  async function recordedChange(bytes: string): Promise<unknown> {
    proxies.app.writes.length = 0;
    assert.equal((await sendRaw(proxies.app.port, bytes)).status, 200);
    const [event = assert.fail(), ...others] = proxies.app.writes;
    assert.deepEqual(others, []);
    return changeIn(event);
  }

  it('contains the names of the members in the body, but no password or e-mail address', async () => {
    const body = JSON.stringify({
      traits: { email: 'ada@example.com' },
      credentials: { password: { config: { password: 'hunter2' } } },
    });
    assert.deepEqual(await recordedChange(request(`PUT ${PERSON}`, body)), {
      changed: ['/traits/email', '/credentials/password'],
    });
    assert.doesNotMatch(JSON.stringify(proxies.app.writes), /hunter2|ada@example/);
  });

  it('is the same if the request arrives byte by byte, and the upstream receives the complete body', async () => {
    const line = `PATCH ${PERSON}`;
    const chunks = [...DEACTIVATE].map((byte) => `1\r\n${byte}\r\n`).join('');
    const chunked = `${requestHead(line, [JSON_TYPE, 'Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`;
    for (const bytes of [request(line, DEACTIVATE), chunked]) {
      const caller = await open();
      for (const byte of bytes) {
        caller.write(byte);
        await new Promise(setImmediate);
      }
      assert.equal((await caller.response()).status, 200);
    }
    assert.deepEqual(proxies.app.writes.map(changeIn), [INACTIVE, INACTIVE]);
    for (const { body } of upstream.requests) assert.equal(String(await body), DEACTIVATE);
  });

  it('contains names of members only if the body is JSON of at most 64 KiB', async () => {
    const padded = (bytes: number): string => DEACTIVATE.padEnd(bytes);
    assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, padded(65_536))), INACTIVE);
    assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, padded(65_537))), {});
    for (const type of ['application/merge-patch+json', 'application/x-www-form-urlencoded'])
      assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, DEACTIVATE, `Content-Type: ${type}`)), {}, type);
  });

  it('contains no names of members for paths whose bodies contain secrets or several identities', async () => {
    for (const line of [
      'PUT /api/oauth-admin/admin/oauth2/auth/requests/consent/accept',
      'POST /api/oauth-admin/admin%2Foauth2%2Fintrospect',
      'POST /api/identity-admin/admin/recovery/link',
      'PUT /api/identity-admin/ADMIN/Keys/set',
      'PATCH /api/identity-admin/admin/identities',
    ])
      assert.deepEqual(await recordedChange(request(line, '{"subject":1,"identities":[]}')), {}, line);
    for (const line of ['POST /api/identity-admin/admin/identities', 'POST /api/oauth-admin/admin/keystone'])
      assert.deepEqual(await recordedChange(request(line, '{"subject":1}')), { changed: ['/subject'] }, line);
  });
});

describe('a proxied write of identities', () => {
  const proxies = proxiesOfTest();
  const { send } = proxies;

  it('refreshes the index if it is successful', async () => {
    for (const [line, status, changes] of [
      ['DELETE /api/identity-admin/admin/identities/1', '204 No Content', 1],
      ['PATCH /api/iam-identity-admin/identities/1', '200 OK', 1],
      ['DELETE /api/identity-admin/admin/identities/1', '404 Not Found', 0],
      ['GET /api/identity-admin/admin/identities/1', '200 OK', 0],
      ['DELETE /api/oauth-admin/admin/identities/1', '204 No Content', 0],
    ] as const) {
      const before = proxies.app.identityChanges;
      proxies.handler = (_request, socket) => socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
      await send(line);
      assert.equal(proxies.app.identityChanges - before, changes, `${line} ${status}`);
    }
  });

  const BATCH = 'PATCH /api/identity-admin/admin/identities';
  const results = (...numbers: number[]): object => ({
    identities: numbers.map((number) => ({ action: 'create', identity: idOf(number) })),
  });
  async function assertUnchanged(line: string, body: string): Promise<void> {
    proxies.handler = (_request, socket) => socket.write(rawResponse('200 OK', [], body));
    const response = await send(line, ['Content-Type: application/json', 'Content-Length: 2'], '{}');
    assert.equal(response.body.toString(), body);
  }

  for (const [title, body, ids] of [
    ['passes the ids in the response to a batch to the index', JSON.stringify(results(1, 2)), [idOf(1), idOf(2)]],
    [
      'ignores results of a batch that are not identities',
      JSON.stringify({
        identities: [null, 7, { action: 'error' }, { identity: 'x' }, { identity: { id: idOf(3).toUpperCase() } }],
      }),
      [idOf(3)],
    ],
    ['passes no ids to the index if the response to a batch is not JSON', '{"identities":[', undefined],
    [
      'passes no ids to the index if the response to a batch exceeds a megabyte',
      JSON.stringify({ ...results(1), more: 'x'.repeat(1_048_576) }),
      undefined,
    ],
  ] as const)
    it(`${title}, and leaves the response unchanged`, async () => {
      await assertUnchanged(BATCH, body);
      await until(() => proxies.app.batches.length === 1);
      assert.deepEqual(proxies.app.batches, [ids]);
    });

  it('reads ids only from responses to a batch', async () => {
    for (const line of [
      'POST /api/identity-admin/admin/identities',
      `PATCH /api/identity-admin/admin/identities/${idOf(1)}`,
      'PATCH /api/oauth-admin/admin/identities',
      'PATCH /api/identity-admin/identities?x=1',
    ])
      await assertUnchanged(line, JSON.stringify(results(1)));
    await until(() => proxies.app.batches.length > 0);
    assert.deepEqual(proxies.app.batches, [[idOf(1)]]);
  });
});

describe('the audit trail of proxied writes', () => {
  const echoing = ofSuite(() => startRawUpstream(echoRequest));
  const dashboard = ofSuite(() => startDashboard({ storeFromSandbox: true, env: { IDENTITY_ADMIN_URL: echoing.url } }));

  async function recordOfDeletion(id: string, headers: string[] = []) {
    await sendRaw(dashboard.port, requestHead(`DELETE /api/identity-admin/admin/identities/${id}?secret`, headers));
    const find = () =>
      dashboard.logged
        .map((line) => JSON.parse(line).audit)
        .find((audit) => audit?.action === 'proxy_write' && audit.target.endsWith(`/${id}`));
    await until(() => find() !== undefined);
    return find();
  }

  it('names the operator of the session and their reason, or “anonymous” without one', async () => {
    const viewer = await dashboard.signIn('viewer');
    for (const [id, reason, ...given] of [
      ['1', undefined],
      ['1-given', 'T-1 café', 'T-1%20caf%C3%A9'],
      ['1-malformed', undefined, '%zz'],
      ['1-repeated', undefined, 'T-1', 'T-2'],
    ] as const) {
      const reasons = given.map((one) => `Dashboard-Reason: ${one}`);
      const record = await recordOfDeletion(id, [`Cookie: dashboard-session=${viewer}`, ...reasons]);
      assert.match(record.actor, /^[0-9a-f-]{36}$/);
      const details = { method: 'DELETE', status: 200, peer: '127.0.0.1' };
      assert.deepEqual(record.details, reason === undefined ? details : { ...details, reason });
    }
    const anonymous = await recordOfDeletion('2', ['Dashboard-Reason: T-1']);
    assert.deepEqual([anonymous.actor, anonymous.details.reason], ['anonymous', undefined]);
  });

  it('names callers by an address without a port, whatever text a trusted proxy forwards', async () => {
    await dashboard.restart({ TRUST_PROXY: '127.0.0.1,10.9.9.9,fd00::9', PROXY_REQUIRE_SESSION: 'false' });
    const FORWARDED: [forwarded: string, peer: string][] = [
      ['203.0.113.9', '203.0.113.9'],
      ['203.0.113.9:51234', '203.0.113.9'],
      ['[2001:db8::7]:443', '2001:db8::7'],
      ['2001:db8::7', '2001:db8::7'],
      ['6.6.6.6, 203.0.113.9:1,\t10.9.9.9:443, [fd00::9]:443', '203.0.113.9'],
      ['unknown', '127.0.0.1'],
      ['203.0.113.9:port', '127.0.0.1'],
      ['x'.repeat(4_000), '127.0.0.1'],
    ];
    for (const [index, [forwarded, peer]] of FORWARDED.entries()) {
      const record = await recordOfDeletion(`from-${index}`, [`X-Forwarded-For: ${forwarded}`]);
      assert.equal(record.details.peer, peer, forwarded);
    }
    // A trusted proxy that does not name its callers is logged once a minute.
    const reports = dashboard.logged.filter((line) => line.includes('a trusted proxy does not name its clients'));
    assert.equal(reports.length, 1);
  });
});
