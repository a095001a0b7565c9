import assert from 'node:assert/strict';
import { until } from '../support/becomes.ts';
import { idOf } from '../support/index-rig.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const BATCH = 'PATCH /api/identity-admin/admin/identities';
const results = (...numbers: number[]): object => ({
  identities: numbers.map((number) => ({ action: 'create', identity: idOf(number) })),
});

describe('the ids in the answer to a batch of identities', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  /** The answer after its status line; what comes after a break is sent once the first part has arrived. */
  let parts: (string | Buffer)[];
  let arrived: () => void;

  beforeEach(async () => {
    upstream = await startRawUpstream(async (_request, socket) => {
      for (const [at, part] of parts.entries()) {
        if (at > 0)
          await new Promise<void>((resolve) => {
            arrived = resolve;
          });
        socket.write(part);
      }
      if (parts.length > 1) socket.destroy();
    });
    app = await startProxyApp({ 'identity-admin': upstream.url, 'oauth-admin': upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const framed = (body: string | Buffer, headers: string[] = []): Buffer =>
    Buffer.concat([
      Buffer.from(['HTTP/1.1 200 OK', `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', ''].join('\r\n')),
      Buffer.from(body),
    ]);
  async function sent(line: string, given: string | Buffer, headers: string[] = []): Promise<Buffer | string> {
    parts = [framed(given, headers)];
    const response = await fetch(`${app.url}${line.split(' ')[1]}`, {
      method: line.split(' ')[0] as string,
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    });
    return response.text();
  }

  for (const [name, body, ids] of [
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
      assert.equal(await sent(BATCH, body), body);
      await until(() => app.batches.length === 1);
      assert.deepEqual(app.batches, [ids]);
    });

  it('are looked for in no other answer', async () => {
    const body = JSON.stringify(results(1));
    for (const line of [
      'POST /api/identity-admin/admin/identities',
      `PATCH /api/identity-admin/admin/identities/${idOf(1)}`,
      'PATCH /api/oauth-admin/admin/identities',
    ])
      assert.equal(await sent(line, body), body);
    assert.equal(await sent('PATCH /api/identity-admin/identities?x=1', body), body);
    await until(() => app.batches.length > 0);
    assert.deepEqual(app.batches, [[idOf(1)]]);
  });
});
