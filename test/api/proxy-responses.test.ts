import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { recordedExchanges } from '../support/contract-replay-files.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const CATALOGUE_TEXT = 'The upstream service refused the request.';
const FAILURE_TEXT = 'The upstream service failed.';

/** What passes of a challenge on an admin prefix, and on a public one to a browser. */
const CHALLENGES: [challenge: string, passed: { admin?: string; browser?: string }][] = [
  ['Basic realm="x"', {}],
  ['bAsIc', {}],
  ['Bearer', { admin: 'Bearer', browser: 'Bearer' }],
  ['DPoP algs="ES256"', { browser: 'DPoP algs="ES256"' }],
  [
    'Basic realm="a, Bearer \\"b", charset="UTF-8", Bearer realm="c", error="invalid_token"',
    { admin: 'Bearer error="invalid_token"', browser: 'Bearer realm="c", error="invalid_token"' },
  ],
  ['Bearer realm = "a", Basic realm="b"', { admin: 'Bearer', browser: 'Bearer realm = "a"' }],
  ['Negotiate YWJj==, , Digest realm="b", nonce="error=x"', {}],
  ['Bearer realm="a\nBasic realm="b"', {}],
  ['Bearer error="one"\nBasic realm="b"', { admin: 'Bearer error="one"', browser: 'Bearer error="one"' }],
];
const listed = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

describe('errors of an upstream', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let reply: (socket: Socket) => unknown;

  before(async () => {
    upstream = await startRawUpstream(async (request, socket) => {
      await request.body;
      reply(socket);
    });
    app = await startProxyApp({
      identity: upstream.url,
      'identity-admin': upstream.url,
      oauth: upstream.url,
      'oauth-admin': upstream.url,
    });
  });
  beforeEach(async () => {
    upstream.dropConnections();
    await upstream.idle();
  });
  after(async () => {
    await app.close();
    await upstream.close();
  });

  const get = (prefix: string, method = 'GET') => sendRaw(app.port, head(`${method} /api/${prefix}/x`));
  const replies = (status: string, headers: string[], body: string | Buffer): void => {
    reply = (socket) => {
      const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      socket.write(body);
    };
  };
  const json = 'Content-Type: application/json; charset=utf-8';
  const isUpstreamError = (result: RawResponse, status: number, message: string): void => {
    assert.equal(result.status, status);
    assert.deepEqual(result.header('content-type'), ['application/json']);
    assert.deepEqual(JSON.parse(result.body.toString()), { error: 'upstream_error', message });
    assert.deepEqual(result.header('cache-control'), ['no-store']);
  };

  describe('on an admin prefix', () => {
    const cases: [string, string, string, string][] = [
      [
        'Kratos, a reason with an address',
        '409 Conflict',
        '{"error":{"code":409,"status":"Conflict","reason":"ada@corp.example (9f425a8d-7efc-4768-8f23-7647a74fdf13) exists at http://10.0.0.2:4434/x","message":"m"}}',
        '… (…) exists at …',
      ],
      [
        'a database’s words',
        '500 Internal Server Error',
        '{"error":{"message":"dial tcp: lookup kratos-db on 10.0.0.2:53: no such host"}}',
        FAILURE_TEXT,
      ],
      ['nothing', '503 Service Unavailable', '', FAILURE_TEXT],
    ];
    for (const [what, status, body, message] of cases)
      it(`${what}: the status stays, the reason is blanked`, async () => {
        replies(status, [json], body);
        isUpstreamError(await get('identity-admin'), Number(status.slice(0, 3)), message);
      });

    for (const [address, passes] of [
      ['/oauth2/sessions/logout?state=x', true],
      ['https://login.example/oauth2/auth?login_verifier=x', true],
      ['javascript:alert(1)', false],
    ] as const)
      it(`a used challenge: 410, ${passes ? 'and' : 'not'} where its user goes on: ${address}`, async () => {
        replies('410 Gone', [json], JSON.stringify({ redirect_to: address }));
        const body = JSON.parse((await get('oauth-admin')).body.toString());
        assert.deepEqual(body, {
          error: 'upstream_error',
          message: CATALOGUE_TEXT,
          ...(passes ? { redirect_to: address } : {}),
        });
      });

    it('one that is compressed is read decoded', async () => {
      for (const [coding, encode] of Object.entries({ gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync })) {
        const body = encode('{"error":{"reason":"ada@corp.example is taken"}}');
        replies('400 Bad Request', [json, `Content-Encoding: ${coding}`], body);
        const result = await get('identity-admin');
        isUpstreamError(result, 400, '… is taken');
        assert.deepEqual(result.header('content-encoding'), []);
      }
    });

    it('one that breaks off in its body has the status, the catalogue’s text and a closed connection', async () => {
      reply = (socket) => {
        socket.end(`HTTP/1.1 409 Conflict\r\n${json}\r\nContent-Length: 100\r\n\r\n{"error":`);
      };
      isUpstreamError(await get('identity-admin'), 409, CATALOGUE_TEXT);
      await upstream.idle();
    });

    it('pass only the headers that say how to continue', async () => {
      replies(
        '401 Unauthorized',
        [
          json,
          'Retry-After: 120',
          'Allow: kratos:4434',
          'WWW-Authenticate: Bearer realm="http://kratos:4434", error="invalid_token", error_description="ada@corp.example"',
          'Location: http://kratos:4434/x',
          'Link: </x>; rel=next',
          'Set-Cookie: a=b',
          'X-Powered-By: secret',
          'Server: secret',
          'Ory-Error-Id: secret',
        ],
        '{"error":{"reason":"no"}}',
      );
      const result = await get('identity-admin');
      assert.deepEqual(result.header('retry-after'), ['120']);
      assert.deepEqual(result.header('allow'), []);
      assert.deepEqual(result.header('www-authenticate'), ['Bearer error="invalid_token"']);
      assert.doesNotMatch(JSON.stringify(result.rawHeaders), /kratos|secret|corp|"a=b"|"link"|"location"/i);
    });

    for (const [challenge, passed] of CHALLENGES)
      it(`of the challenge ${challenge} passes ${passed.admin ?? 'nothing'}`, async () => {
        replies('401 Unauthorized', [json, ...challenge.split('\n').map((line) => `WWW-Authenticate: ${line}`)], '{}');
        assert.deepEqual((await get('identity-admin')).header('www-authenticate'), listed(passed.admin));
      });
  });

  describe('on a public prefix', () => {
    it('JSON arrives untouched: RFC 6749 errors of the token endpoint', async () => {
      const body = '{"error":"invalid_grant","error_description":"The code of ada@corp.example has been used."}';
      replies(
        '400 Bad Request',
        ['Content-Type: application/json;charset=UTF-8', 'Pragma: no-cache', 'Set-Cookie: a=b'],
        body,
      );
      const result = await sendRaw(app.port, `${head('POST /api/oauth/oauth2/token', ['Content-Length: 3'])}a=b`);
      assert.equal(result.status, 400);
      assert.equal(result.body.toString(), body);
      assert.deepEqual(result.header('content-type'), ['application/json;charset=UTF-8']);
      assert.deepEqual(result.header('pragma'), ['no-cache']);
      assert.deepEqual(result.header('set-cookie'), ['a=b']);
    });

    for (const [challenge, { browser }] of CHALLENGES)
      it(`the challenge ${challenge} passes, to a browser ${browser ?? 'nothing'} of it`, async () => {
        const lines = challenge.split('\n');
        for (const type of ['application/json', 'text/plain']) {
          replies(
            '401 Unauthorized',
            [`Content-Type: ${type}`, ...lines.map((line) => `WWW-Authenticate: ${line}`)],
            '{}',
          );
          assert.deepEqual((await get('oauth')).header('www-authenticate').join(', '), lines.join(', '));
          const toBrowser = await sendRaw(app.port, head('GET /api/oauth/x', ['Sec-Fetch-Mode: cors']));
          assert.deepEqual(toBrowser.header('www-authenticate'), listed(browser));
        }
      });

    for (const type of ['text/html; charset=utf-8', 'text/html, application/json'])
      it(`${type} is replaced under the same status`, async () => {
        replies('404 Not Found', [`Content-Type: ${type}`, 'Set-Cookie: a=b'], '<h1>kratos:4434</h1>');
        const result = await get('identity');
        isUpstreamError(result, 404, CATALOGUE_TEXT);
        assert.deepEqual(result.header('set-cookie'), []);
      });
  });

  it('as recorded from real servers, of every admin API: the shape, the status, and nothing of a caller or a server', async () => {
    const recorded = recordedExchanges().filter(
      ({ request, response }) => request.service.endsWith('admin') && response.status >= 400,
    );
    assert.ok(recorded.length > 100, `${recorded.length} recorded errors`);
    for (const { request, response } of recorded) {
      const body = response.json === undefined ? (response.text ?? '<!DOCTYPE html>') : JSON.stringify(response.json);
      const filled = body
        .replaceAll(/<uuid:\d+>/g, '9f425a8d-7efc-4768-8f23-7647a74fdf13')
        .replaceAll(/<[a-z]+-[a-z]+>/g, upstream.url);
      replies(`${response.status} X`, response.json === undefined ? ['Content-Type: text/plain'] : [json], filled);
      const result = await get(request.service === 'hydra-admin' ? 'oauth-admin' : 'identity-admin');
      assert.equal(result.status, response.status);
      const seen = JSON.parse(result.body.toString());
      const redirects = response.status === 410 && response.json !== undefined;
      assert.deepEqual(Object.keys(seen), ['error', 'message', ...(redirects ? ['redirect_to'] : [])]);
      assert.equal(seen.error, 'upstream_error');
      assert.doesNotMatch(seen.message, /@|9f425a8d|127\.0\.0\.1|https?:|elsewhere\.example/);
      if (response.json === undefined)
        assert.equal(seen.message, response.status >= 500 ? FAILURE_TEXT : CATALOGUE_TEXT);
    }
  });
});
