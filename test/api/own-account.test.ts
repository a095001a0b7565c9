import assert from 'node:assert/strict';
import type { OperatorAccounts } from '../../server/upstream/proxy/refusals.ts';
import { idOf } from '../support/index-rig.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { rawResponse } from '../support/raw-upstream.ts';

const OWN = 'abcdef00-1111-4222-8333-444444444444';
const ACCOUNT = `/api/identity-admin/admin/identities/${OWN}`;
const PERSON = { schema_id: 'customer', state: 'active', traits: { email: 'a@example.com', role: 'admin' } };
const replace = (path: string, value: unknown = 'x'): unknown => [{ op: 'replace', path, value }];

describe('an operator’s own account at the identity admin API', () => {
  let operator: { identityId: string; role: 'admin' } | undefined;
  const operatorAccounts: OperatorAccounts = {
    roleFrom: 'traits.role',
    schemaIds: undefined,
    signedIn: () => operator,
  };
  const proxies = proxiesOfTest({
    urls: (url) => ({ 'identity-admin': url, 'iam-identity-admin': `${url}/base`, 'oauth-admin': url }),
    operatorAccounts,
  });
  const { upstream, open } = proxies;
  beforeEach(() => {
    operator = { identityId: OWN, role: 'admin' };
  });

  const send = (line: string, body: unknown = '', headers: readonly string[] = []) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    return sendRaw(proxies.app.port, Buffer.from(requestHead(line, [length, ...headers]) + text));
  };

  it('cannot be deleted, deactivated or given another role, however the request is spelled', async () => {
    const requests: [line: string, body?: unknown][] = [
      ...[
        ACCOUNT,
        ACCOUNT.toUpperCase().replace('/API/IDENTITY-ADMIN', '/api/identity-admin'),
        ACCOUNT.replace('/admin/identities', '/identities'),
        // The address of the other store may lead to the same one.
        ACCOUNT.replace('identity-admin', 'iam-identity-admin'),
        `${ACCOUNT}/?x=1`,
        ACCOUNT.replace('identities/a', '%69dentities/%61'),
        ACCOUNT.replace('identities/', 'identities%2f'),
        `${ACCOUNT}/%3B%2F..`,
        ACCOUNT.replace('admin/identities', 'x/../admin//identities'),
        ACCOUNT.replace(OWN, OWN.replaceAll('-', '')),
        ACCOUNT.replace(OWN, `urn:uuid:${OWN}`),
        ACCOUNT.replace(OWN, `%7B${OWN}%7D`),
      ].map((path): [string] => [`DELETE ${path}`]),
      [`PATCH ${ACCOUNT}`, replace('/state', 'inactive')],
      [`PATCH ${ACCOUNT}`, replace('/State', 'inactive')],
      [`PATCH ${ACCOUNT}`, replace('x/state', 'inactive')],
      [`PATCH ${ACCOUNT}`, [{ op: 'remove', path: '/traits/role' }]],
      [`PATCH ${ACCOUNT}`, [...(replace('/traits/email') as unknown[]), ...(replace('/traits', {}) as unknown[])]],
      [`PATCH ${ACCOUNT}`, replace('', PERSON)],
      [`PATCH ${ACCOUNT}`, [{ op: 'move', from: '/traits/role', path: '/traits/x' }]],
      [`PUT ${ACCOUNT}`, { ...PERSON, state: 'inactive' }],
      [`PUT ${ACCOUNT}`, { ...PERSON, STATE: 'inactive' }],
      // Go ignores a null, and so takes the value before it.
      [`PUT ${ACCOUNT}`, JSON.stringify({ ...PERSON, state: 'inactive' }).replace('}}', '},"state":null}')],
      [`PUT ${ACCOUNT}`, { ...PERSON, traits: { role: 'viewer' } }],
      [`PUT ${ACCOUNT}`, { ...PERSON, Traits: {} }],
      [`PUT ${ACCOUNT}`, { state: 'active' }],
    ];
    for (const [line, body] of requests) {
      const response = await send(line, body);
      assert.equal(response.status, 409, `${line} ${JSON.stringify(body)}`);
      assert.equal(JSON.parse(response.body.toString()).error, 'own_account');
    }
    assert.deepEqual([upstream.requests.length, proxies.app.writes.length], [0, 0]);
  });

  it('can be changed in any other way, as can other accounts, and the body is forwarded unchanged', async () => {
    for (const [line, body] of [
      [`PATCH ${ACCOUNT}`, replace('/traits/email', 'ä@example.com')],
      [`PATCH ${ACCOUNT}`, [{ op: 'test', path: '/state', value: 'active' }]],
      [`PATCH ${ACCOUNT}`, replace('/metadata_admin', {})],
      [`PATCH ${ACCOUNT}`, replace('/traits/x', 'y'.repeat(60_000))],
      [`PUT ${ACCOUNT}`, PERSON],
      [`PUT ${ACCOUNT}`, { ...PERSON, state: undefined }],
      [`DELETE ${ACCOUNT}/sessions`, ''],
      [`DELETE ${ACCOUNT.replace(OWN, idOf(1))}`, ''],
      [`PATCH ${ACCOUNT.replace(OWN, idOf(1))}`, replace('/state', 'inactive')],
      ['PATCH /api/identity-admin/admin/identities', { identities: [{ create: PERSON, patch_id: OWN }] }],
      [`DELETE ${ACCOUNT.replace('identity-admin', 'oauth-admin')}`, ''],
      [`PATCH ${ACCOUNT}`, replace('/schema_id')],
    ] as const) {
      assert.equal((await send(line, body)).status, 200, `${line} ${JSON.stringify(body).slice(0, 99)}`);
      const sent = (await upstream.requests.at(-1)?.body)?.toString();
      assert.equal(sent, typeof body === 'string' ? body : JSON.stringify(body));
    }
    operator = undefined;
    assert.equal((await send(`DELETE ${ACCOUNT}`)).status, 200);
  });

  it('is changed by a chunked body only after all chunks have arrived, and the changed members are recorded', async () => {
    const [first, second] = ['[{"op":"replace","path":"/traits/na', 'me","value":"x"}]'];
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const headers = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];
    const connection = await open(requestHead(`PATCH ${ACCOUNT}`, headers) + chunk(first));
    await new Promise(setImmediate);
    assert.equal(upstream.requests.length, 0);
    connection.write(`${chunk(second)}0\r\n\r\n`);
    assert.equal((await connection.response()).status, 200);
    assert.equal((await upstream.requests[0]?.body)?.toString(), first + second);
    assert.deepEqual(proxies.app.writes[0]?.details.changed, ['/traits/name']);
    // The connection remains usable.
    connection.write(requestHead(`DELETE ${ACCOUNT}`));
    assert.equal((await connection.response()).status, 409);
  });

  it('is not changed by a body that is encoded, incomplete, over 64 KiB or not JSON', async () => {
    for (const [body, headers, status] of [
      ['', [], 400],
      ['{"state":"active"} x', [], 400],
      ['[]', ['Content-Encoding: gzip'], 415],
      [replace('/traits/x', 'y'.repeat(65_536)), [], 413],
    ] as const)
      assert.equal((await send(`PATCH ${ACCOUNT}`, body, headers)).status, status);
    await proxies.restart({ timeoutMs: 20 });
    assert.equal((await proxies.send(`PUT ${ACCOUNT}`, ['Content-Length: 9'], '[')).status, 408);
    assert.equal(upstream.requests.length, 0);
  });

  it('has its role protected only in the member that OPERATOR_ROLE_FROM names', async () => {
    await proxies.restart({ operatorAccounts: { ...operatorAccounts, roleFrom: 'metadata_admin.role' } });
    for (const [line, body, status] of [
      [`PATCH ${ACCOUNT}`, replace('/traits/role'), 200],
      [`PATCH ${ACCOUNT}`, replace('/metadata_admin/role'), 409],
      [`PUT ${ACCOUNT}`, PERSON, 409],
      [`PUT ${ACCOUNT}`, { ...PERSON, metadata_admin: { role: 'admin' } }, 200],
    ] as const)
      assert.equal((await send(line, body)).status, status, line);
  });

  it('can be moved only to a schema that OPERATOR_SCHEMA_IDS names', async () => {
    await proxies.restart({ operatorAccounts: { ...operatorAccounts, schemaIds: ['operator', 'staff'] } });
    for (const [line, body, status] of [
      [`PATCH ${ACCOUNT}`, replace('/schema_id', 'customer'), 409],
      [`PATCH ${ACCOUNT}`, replace('/Schema_ID', 'customer'), 409],
      [`PATCH ${ACCOUNT}`, [{ op: 'remove', path: '/schema_id' }], 409],
      [`PATCH ${ACCOUNT}`, [{ op: 'copy', from: '/external_id', path: '/schema_id' }], 409],
      [`PATCH ${ACCOUNT}`, replace('/schema_id', 'staff'), 200],
      [`PATCH ${ACCOUNT}`, replace('/schema_id/x'), 409],
      [`PUT ${ACCOUNT}`, PERSON, 409],
      [`PUT ${ACCOUNT}`, { ...PERSON, schema_id: 'staff' }, 200],
      [`PUT ${ACCOUNT}`, { ...PERSON, schema_id: 'staff', Schema_Id: 'customer' }, 409],
      [`PUT ${ACCOUNT}`, { ...PERSON, schema_id: null }, 409],
      [`PUT ${ACCOUNT}`, { ...PERSON, schema_id: undefined }, 200],
    ] as const)
      assert.equal((await send(line, body)).status, status, `${line} ${JSON.stringify(body)}`);
  });

  it('keeps its last credential because Kratos refuses to delete it, and the response says so', async () => {
    const reason = 'You can not remove the last first factor.';
    const body = JSON.stringify({ error: { reason } });
    proxies.handler = (_request, socket) =>
      socket.write(rawResponse('400 Bad Request', ['Content-Type: application/json'], body));
    const response = await send(`DELETE ${ACCOUNT}/credentials/password`);
    assert.deepEqual(
      [response.status, JSON.parse(response.body.toString())],
      [400, { error: 'upstream_error', message: reason }],
    );
  });
});
