import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { idOf } from '../support/index-rig.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const OWN = 'abcdef00-1111-4222-8333-444444444444';
const AT = `/api/identity-admin/admin/identities/${OWN}`;
const PERSON = { schema_id: 'customer', state: 'active', traits: { email: 'a@example.com', role: 'admin' } };
const replace = (path: string, value: unknown = 'x'): unknown => [{ op: 'replace', path, value }];

describe('an operator’s own account', () => {
  let upstream: RawUpstream;
  let apps: ProxyApp[];
  let operator: { identityId: string; role: 'admin' } | undefined;

  const start = async (
    roleFrom: 'traits.role' | 'metadata_admin.role' = 'traits.role',
    timeoutMs = 600_000,
  ): Promise<ProxyApp> => {
    const app = await startProxyApp(
      { 'identity-admin': upstream.url, 'iam-identity-admin': `${upstream.url}/base` },
      { operatorAccounts: { stores: ['identity-admin'], roleFrom, signedIn: () => operator }, timeoutMs },
    );
    apps.push(app);
    return app;
  };
  beforeEach(async () => {
    apps = [];
    operator = { identityId: OWN, role: 'admin' };
    upstream = await startRawUpstream(echo);
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    await upstream.close();
  });

  const send = (app: ProxyApp, line: string, body: unknown = '', headers: string[] = []) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    return sendRaw(app.port, Buffer.from(head(line, [length, ...headers]) + text));
  };

  it('is neither deleted nor deactivated, and keeps its role: 409 own_account, and nothing is forwarded', async () => {
    const refused: [line: string, body?: unknown][] = [
      ...[
        AT,
        AT.toUpperCase().replace('/API/IDENTITY-ADMIN', '/api/identity-admin'),
        AT.replace('/admin/identities', '/identities'),
        `${AT}/?x=1`,
        AT.replace('identities/a', '%69dentities/%61'),
        AT.replace('identities/', 'identities%2f'),
        `${AT}/%3B%2F..`,
        AT.replace('admin/identities', 'x/../admin//identities'),
        AT.replace(OWN, OWN.replaceAll('-', '')),
        AT.replace(OWN, `urn:uuid:${OWN}`),
        AT.replace(OWN, `%7B${OWN}%7D`),
      ].map((path): [string] => [`DELETE ${path}`]),
      [`PATCH ${AT}`, replace('/state', 'inactive')],
      [`PATCH ${AT}`, replace('/State', 'inactive')],
      [`PATCH ${AT}`, replace('x/state', 'inactive')],
      [`PATCH ${AT}`, [{ op: 'remove', path: '/traits/role' }]],
      [`PATCH ${AT}`, [...(replace('/traits/email') as unknown[]), ...(replace('/traits', {}) as unknown[])]],
      [`PATCH ${AT}`, replace('', PERSON)],
      [`PATCH ${AT}`, [{ op: 'move', from: '/traits/role', path: '/traits/x' }]],
      [`PUT ${AT}`, { ...PERSON, state: 'inactive' }],
      [`PUT ${AT}`, { ...PERSON, STATE: 'inactive' }],
      [`PUT ${AT}`, { ...PERSON, traits: { role: 'viewer' } }],
      [`PUT ${AT}`, { ...PERSON, Traits: {} }],
      [`PUT ${AT}`, { state: 'active' }],
    ];
    const app = await start();
    for (const [line, body] of refused) {
      const response = await send(app, line, body);
      assert.equal(response.status, 409, `${line} ${JSON.stringify(body)}`);
      assert.equal(JSON.parse(response.body.toString()).error, 'own_account');
    }
    assert.deepEqual([upstream.requests.length, app.writes.length], [0, 0]);
  });

  it('may be changed in all else, and its body is forwarded as it came', async () => {
    const app = await start();
    for (const [line, body] of [
      [`PATCH ${AT}`, replace('/traits/email', 'ä@example.com')],
      [`PATCH ${AT}`, [{ op: 'test', path: '/state', value: 'active' }]],
      [`PATCH ${AT}`, replace('/metadata_admin', {})],
      [`PATCH ${AT}`, replace('/traits/x', 'y'.repeat(60_000))],
      [`PUT ${AT}`, PERSON],
      [`PUT ${AT}`, { ...PERSON, state: undefined }],
      [`DELETE ${AT}/sessions`, ''],
      [`DELETE ${AT.replace(OWN, idOf(1))}`, ''],
      [`PATCH ${AT.replace(OWN, idOf(1))}`, replace('/state', 'inactive')],
      ['PATCH /api/identity-admin/admin/identities', { identities: [{ create: PERSON, patch_id: OWN }] }],
      [`DELETE ${AT.replace('identity-admin', 'iam-identity-admin')}`, ''],
    ] as const) {
      assert.equal((await send(app, line, body)).status, 200, `${line} ${JSON.stringify(body).slice(0, 99)}`);
      const sent = (await upstream.requests.at(-1)?.body)?.toString();
      assert.equal(sent, typeof body === 'string' ? body : JSON.stringify(body));
    }
    operator = undefined;
    assert.equal((await send(app, `DELETE ${AT}`)).status, 200);
  });

  it('is read in pieces as they come, and the names of its members are recorded', async () => {
    const app = await start();
    const connection = await RawConnection.open(app.port);
    const [first, second] = ['[{"op":"replace","path":"/traits/na', 'me","value":"x"}]'];
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    connection.write(head(`PATCH ${AT}`, ['Transfer-Encoding: chunked', 'Content-Type: application/json']));
    connection.write(chunk(first));
    await new Promise(setImmediate);
    assert.equal(upstream.requests.length, 0);
    connection.write(`${chunk(second)}0\r\n\r\n`);
    assert.equal((await connection.response()).status, 200);
    assert.equal((await upstream.requests[0]?.body)?.toString(), first + second);
    assert.deepEqual(app.writes[0]?.details.changed, ['/traits/name']);
    // The connection is as good as any after it.
    connection.write(head(`DELETE ${AT}`));
    assert.equal((await connection.response()).status, 409);
    connection.close();
  });

  it('is not changed by what cannot be judged: no JSON, a coding, more than 64 KiB, or half of a body', async () => {
    const app = await start();
    for (const [body, headers, status] of [
      ['', [], 400],
      ['{"state":"active"} x', [], 400],
      ['[]', ['Content-Encoding: gzip'], 415],
      [replace('/traits/x', 'y'.repeat(65_536)), [], 413],
    ] as const)
      assert.equal((await send(app, `PATCH ${AT}`, body, [...headers])).status, status);
    const impatient = await start('traits.role', 20);
    assert.equal((await sendRaw(impatient.port, `${head(`PUT ${AT}`, ['Content-Length: 9'])}[`)).status, 408);
    assert.equal(upstream.requests.length, 0);
  });

  it('has its role where the configuration says', async () => {
    const app = await start('metadata_admin.role');
    for (const [line, body, status] of [
      [`PATCH ${AT}`, replace('/traits/role'), 200],
      [`PATCH ${AT}`, replace('/metadata_admin/role'), 409],
      [`PUT ${AT}`, PERSON, 409],
      [`PUT ${AT}`, { ...PERSON, metadata_admin: { role: 'admin' } }, 200],
    ] as const)
      assert.equal((await send(app, line, body)).status, status, line);
  });
});

describe('an administrator of a whole dashboard', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  it('deletes others, and never the identity they are signed in as', async () => {
    const session = await dashboard.signIn('admin');
    const idIn = async (of: string): Promise<string> =>
      ((await (await dashboard.call('/api/auth/session', { session: of })).json()) as { user: { identityId: string } })
        .user.identityId;
    const remove = async (id: string): Promise<number> =>
      (await dashboard.call(`/api/identity-admin/admin/identities/${id}`, { session, method: 'DELETE' })).status;
    assert.equal(await remove(await idIn(session)), 409);
    assert.equal(await remove(await idIn(await dashboard.signIn('viewer'))), 204);
  });
});
