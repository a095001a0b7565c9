import assert from 'node:assert/strict';
import { until } from '../support/eventually.ts';
import { idOf } from '../support/index-rig.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const BATCH = 'PATCH /api/identity-admin/admin/identities';
const results = (...numbers: number[]): object => ({
  identities: numbers.map((number) => ({ action: 'create', identity: idOf(number) })),
});

describe('the ids in the answer to a batch of identities', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let body: string;

  beforeEach(async () => {
    upstream = await startRawUpstream((_request, socket) => socket.write(rawResponse('200 OK', [], body)));
    app = await startProxyApp({ 'identity-admin': upstream.url, 'oauth-admin': upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  async function assertPassed(line: string, given: string): Promise<void> {
    body = given;
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${app.url}${path}`, {
      method,
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    });
    assert.equal(await response.text(), given);
  }

  for (const [name, given, ids] of [
    ['are noted', JSON.stringify(results(1, 2)), [idOf(1), idOf(2)]],
    [
      'are those of identities alone',
      JSON.stringify({
        identities: [null, 7, { action: 'error' }, { identity: 'x' }, { identity: { id: idOf(3).toUpperCase() } }],
      }),
      [idOf(3)],
    ],
    ['are unknown where it is no JSON', '{"identities":[', undefined],
    ['are unknown beyond a megabyte', JSON.stringify({ ...results(1), more: 'x'.repeat(1_048_576) }), undefined],
  ] as const)
    it(`${name}, and the answer stays as it is`, async () => {
      await assertPassed(BATCH, given);
      await until(() => app.batches.length === 1);
      assert.deepEqual(app.batches, [ids]);
    });

  it('are not read from any other response', async () => {
    for (const line of [
      'POST /api/identity-admin/admin/identities',
      `PATCH /api/identity-admin/admin/identities/${idOf(1)}`,
      'PATCH /api/oauth-admin/admin/identities',
      'PATCH /api/identity-admin/identities?x=1',
    ])
      await assertPassed(line, JSON.stringify(results(1)));
    await until(() => app.batches.length > 0);
    assert.deepEqual(app.batches, [[idOf(1)]]);
  });
});
