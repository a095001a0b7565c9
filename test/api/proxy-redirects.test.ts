import assert from 'node:assert/strict';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

describe('redirects and links of an upstream', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let reply = '';
  const json = 'Content-Type: application/json';

  before(async () => {
    upstream = await startRawUpstream((_request, socket) => socket.write(reply));
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url });
  });
  after(async () => {
    await app.close();
    await upstream.close();
  });

  const get = (prefix: string) => sendRaw(app.port, head(`GET /api/${prefix}/x`));
  const replies = (status: string, headers: string[], body: string): void => {
    reply = rawResponse(status, headers, body);
  };

  it('arrive with their addresses rewritten and without the body that repeats them', async () => {
    const page = `<a href="${upstream.url}/admin/identities">Temporary Redirect</a>.`;
    const ofPage = ['Content-Type: text/html', 'Content-Encoding: br', 'Content-Language: en', 'ETag: "1"'];
    replies('307 Temporary Redirect', [`Location: ${upstream.url}/x?y=z`, ...ofPage], page);
    const connection = await RawConnection.open(app.port);
    connection.write(head('GET /api/identity/x') + head('GET /api/identity/y'));
    for (const _ of [1, 2]) {
      const result = await connection.response();
      assert.equal(result.status, 307);
      assert.deepEqual(result.header('location'), ['/api/identity/x?y=z']);
      assert.equal(result.body.length, 0);
      for (const name of ['content-type', 'content-encoding', 'content-language', 'etag'])
        assert.deepEqual(result.header(name), [], name);
    }
    connection.close();
  });

  it('to an address that stays as it is keep their body', async () => {
    replies('302 Found', ['Location: https://login.example/ui', 'Content-Type: text/html'], 'over there');
    const result = await get('identity');
    assert.deepEqual(result.header('location'), ['https://login.example/ui']);
    assert.deepEqual(result.header('content-type'), ['text/html']);
    assert.equal(result.body.toString(), 'over there');
  });

  const crossing: [string, string, string][] = [
    // Whatever the service calls itself.
    [
      'identity',
      'http://kratos.internal:9999/admin/identities?page_size=2',
      '/api/identity-admin/admin/identities?page_size=2',
    ],
    ['identity-admin', 'https://public.example/schemas/b3A?x=y', '/api/identity/schemas/b3A?x=y'],
    // Any other location is passed on unchanged.
    ['identity', 'https://login.example/administration', 'https://login.example/administration'],
    ['identity-admin', 'http://kratos.internal:9999/schematic', '/api/identity-admin/schematic'],
  ];
  for (const [prefix, from, to] of crossing)
    it(`a 307 of ${prefix} to ${from} leads to ${to}`, async () => {
      replies('307 Temporary Redirect', [`Location: ${from}`], '');
      assert.deepEqual((await get(prefix)).header('location'), [to]);
    });

  it('a Link of 40 KB arrives whole', async () => {
    const target = `/admin/identities?${Array.from({ length: 500 }, (_, index) => `ids=9f425a8d-7efc-4768-8f23-${String(index).padStart(12, '0')}`).join('&')}`;
    replies('200 OK', [json, `Link: <${target}>; rel="first",<${target}>; rel="next"`], '[]');
    const result = await get('identity-admin');
    assert.equal(result.status, 200);
    assert.deepEqual(result.header('link'), [
      `</api/identity-admin${target}>; rel="first",</api/identity-admin${target}>; rel="next"`,
    ]);
  });

  it('of a created resource the body stays', async () => {
    replies('201 Created', [json, 'Location: /admin/identities/1'], '{"id":"1"}');
    const result = await get('identity-admin');
    assert.deepEqual(result.header('location'), ['/api/identity-admin/admin/identities/1']);
    assert.equal(result.body.toString(), '{"id":"1"}');
  });
});
