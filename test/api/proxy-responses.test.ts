import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { recordedExchanges } from '../support/contract-replay-files.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { type RawResponse, requestHead } from '../support/raw-client.ts';
import { rawResponse } from '../support/raw-upstream.ts';

const REFUSED = 'The upstream service refused the request.';
const FAILED = 'The upstream service failed.';
const JSON_TYPE = 'Content-Type: application/json; charset=utf-8';

/** What remains of a challenge: on an admin prefix, and for a browser on a public prefix. */
const CHALLENGES: [challenge: string, admin: string[], browser: string[]][] = [
  ['Basic realm="x"', [], []],
  ['bAsIc', [], []],
  ['Bearer', ['Bearer'], ['Bearer']],
  ['DPoP algs="ES256"', [], ['DPoP algs="ES256"']],
  [
    'Basic realm="a, Bearer \\"b", charset="UTF-8", Bearer realm="c", error="invalid_token"',
    ['Bearer error="invalid_token"'],
    ['Bearer realm="c", error="invalid_token"'],
  ],
  ['Bearer realm = "a", Basic realm="b"', ['Bearer'], ['Bearer realm = "a"']],
  ['Negotiate YWJj==, , Digest realm="b", nonce="error=x"', [], []],
  ['Bearer realm="a\nBasic realm="b"', [], []],
  ['Bearer error="one"\nBasic realm="b"', ['Bearer error="one"'], ['Bearer error="one"']],
];
const challengeLines = (challenge: string): string[] =>
  challenge.split('\n').map((line) => `WWW-Authenticate: ${line}`);

describe('the response of an upstream', () => {
  let reply: string | Buffer;
  const proxies = proxiesOfTest({
    handler: async (request, socket) => {
      await request.body;
      socket.write(reply);
    },
  });
  const { upstream, open, send } = proxies;

  const get = (prefix: string, headers: string[] = []) => send(`GET /api/${prefix}/x`, headers);
  const replies = (status: string, headers: string[], body: string): void => {
    reply = rawResponse(status, headers, body);
  };
  function assertUpstreamError(response: RawResponse, status: number, message: string): void {
    assert.equal(response.status, status);
    assert.deepEqual(response.header('content-type'), ['application/json']);
    assert.deepEqual(JSON.parse(response.body.toString()), { error: 'upstream_error', message });
    assert.deepEqual(response.header('cache-control'), ['no-store']);
  }

  describe('with an error on an admin prefix', () => {
    const errors: [what: string, status: string, body: string, message: string][] = [
      [
        'the reason of Kratos without addresses and ids',
        '409 Conflict',
        '{"error":{"code":409,"status":"Conflict","reason":"ada@corp.example (9f425a8d-7efc-4768-8f23-7647a74fdf13) exists at http://10.0.0.2:4434/x","message":"m"}}',
        '… (…) exists at …',
      ],
      [
        'a general message in place of a database error',
        '500 Internal Server Error',
        '{"error":{"message":"dial tcp: lookup kratos-db on 10.0.0.2:53: no such host"}}',
        FAILED,
      ],
      ['a general message in place of an empty body', '503 Service Unavailable', '', FAILED],
    ];
    for (const [what, status, body, message] of errors)
      it(`keeps its status, and has ${what}`, async () => {
        replies(status, [JSON_TYPE], body);
        assertUpstreamError(await get('identity-admin'), Number(status.slice(0, 3)), message);
      });

    for (const [address, isPassed] of [
      ['/oauth2/sessions/logout?state=x', true],
      ['https://login.example/oauth2/auth?login_verifier=x', true],
      ['javascript:alert(1)', false],
    ] as const)
      it(`${isPassed ? 'keeps' : 'loses'} the redirect_to ${address} of a used login challenge`, async () => {
        replies('410 Gone', [JSON_TYPE], JSON.stringify({ redirect_to: address }));
        const body = JSON.parse((await get('oauth-admin')).body.toString());
        assert.deepEqual(body, {
          error: 'upstream_error',
          message: REFUSED,
          ...(isPassed && { redirect_to: address }),
        });
      });

    it('is decompressed before it is redacted', async () => {
      for (const [coding, encode] of Object.entries({ gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync })) {
        const body = encode('{"error":{"reason":"ada@corp.example is taken"}}');
        const headers = [JSON_TYPE, `Content-Encoding: ${coding}`, `Content-Length: ${body.length}`];
        reply = Buffer.concat([Buffer.from(`HTTP/1.1 400 Bad Request\r\n${headers.join('\r\n')}\r\n\r\n`), body]);
        const response = await get('identity-admin');
        assertUpstreamError(response, 400, '… is taken');
        assert.deepEqual(response.header('content-encoding'), []);
      }
    });

    it('keeps its status, and has a general message if its body breaks off', async () => {
      const cut = `HTTP/1.1 409 Conflict\r\n${JSON_TYPE}\r\nContent-Length: 100\r\n\r\n{"error":`;
      proxies.handler = (_request, socket) => socket.end(cut);
      assertUpstreamError(await get('identity-admin'), 409, REFUSED);
      await upstream.untilIdle();
    });

    it('keeps no header of the upstream but Retry-After and the error code in WWW-Authenticate', async () => {
      replies(
        '401 Unauthorized',
        [
          JSON_TYPE,
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
      const response = await get('identity-admin');
      assert.deepEqual(response.header('retry-after'), ['120']);
      assert.deepEqual(response.header('allow'), []);
      assert.deepEqual(response.header('www-authenticate'), ['Bearer error="invalid_token"']);
      assert.doesNotMatch(JSON.stringify(response.rawHeaders), /kratos|secret|corp|"a=b"|"link"|"location"/i);
    });

    it('keeps no challenge but Bearer, reduced to its error code', async () => {
      for (const [challenge, admin] of CHALLENGES) {
        replies('401 Unauthorized', [JSON_TYPE, ...challengeLines(challenge)], '{}');
        assert.deepEqual((await get('identity-admin')).header('www-authenticate'), admin, challenge);
      }
    });

    it('keeps its status, has our format, and names no person or server, for every recorded error', async () => {
      const recorded = recordedExchanges().filter(
        ({ request, response }) => request.service.endsWith('admin') && response.status >= 400,
      );
      assert.ok(recorded.length > 100, `${recorded.length} recorded errors`);
      for (const { request, response } of recorded) {
        const body = response.json === undefined ? (response.text ?? '<!DOCTYPE html>') : JSON.stringify(response.json);
        const filled = body
          .replaceAll(/<uuid:\d+>/g, '9f425a8d-7efc-4768-8f23-7647a74fdf13')
          .replaceAll(/<[a-z]+-[a-z]+>/g, upstream.url);
        const type = response.json === undefined ? 'Content-Type: text/plain' : JSON_TYPE;
        replies(`${response.status} X`, [type], filled);
        const received = await get(request.service === 'hydra-admin' ? 'oauth-admin' : 'identity-admin');
        assert.equal(received.status, response.status);
        const error = JSON.parse(received.body.toString());
        const redirects = response.status === 410 && response.json !== undefined;
        assert.deepEqual(Object.keys(error), ['error', 'message', ...(redirects ? ['redirect_to'] : [])]);
        assert.equal(error.error, 'upstream_error');
        assert.doesNotMatch(error.message, /@|9f425a8d|127\.0\.0\.1|https?:|elsewhere\.example/);
        if (response.json === undefined) assert.equal(error.message, response.status >= 500 ? FAILED : REFUSED);
      }
    });
  });

  describe('with an error on a public prefix', () => {
    it('is unchanged if it is JSON, such as an RFC 6749 error of the token endpoint', async () => {
      const body = '{"error":"invalid_grant","error_description":"The code of ada@corp.example has been used."}';
      const type = 'application/json;charset=UTF-8';
      replies('400 Bad Request', [`Content-Type: ${type}`, 'Pragma: no-cache', 'Set-Cookie: a=b'], body);
      const response = await send('POST /api/oauth/oauth2/token', ['Content-Length: 3'], 'a=b');
      assert.equal(response.status, 400);
      assert.equal(response.body.toString(), body);
      assert.deepEqual(response.header('content-type'), [type]);
      assert.deepEqual(response.header('pragma'), ['no-cache']);
      assert.deepEqual(response.header('set-cookie'), ['a=b']);
    });

    it('keeps every challenge, but for a browser none for which it would ask for a password', async () => {
      for (const [challenge, , browser] of CHALLENGES)
        for (const type of ['application/json', 'text/plain']) {
          replies('401 Unauthorized', [`Content-Type: ${type}`, ...challengeLines(challenge)], '{}');
          const lines = (await get('oauth')).header('www-authenticate');
          assert.equal(lines.join(', '), challenge.replace('\n', ', '));
          const toBrowser = await get('oauth', ['Sec-Fetch-Mode: cors']);
          assert.deepEqual(toBrowser.header('www-authenticate'), browser, challenge);
        }
    });

    for (const type of ['text/html; charset=utf-8', 'text/html, application/json'])
      it(`keeps its status, but has our error as its body if its Content-Type is ${type}`, async () => {
        replies('404 Not Found', [`Content-Type: ${type}`, 'Set-Cookie: a=b'], '<h1>kratos:4434</h1>');
        const response = await get('identity');
        assertUpstreamError(response, 404, REFUSED);
        assert.deepEqual(response.header('set-cookie'), []);
      });
  });

  describe('with a Location', () => {
    it('leads to our own prefix, without the body that repeats the address', async () => {
      const page = `<a href="${upstream.url}/admin/identities">Temporary Redirect</a>.`;
      const ofPage = ['Content-Type: text/html', 'Content-Encoding: br', 'Content-Language: en', 'ETag: "1"'];
      replies('307 Temporary Redirect', [`Location: ${upstream.url}/x?y=z`, ...ofPage], page);
      const connection = await open(requestHead('GET /api/identity/x') + requestHead('GET /api/identity/y'));
      for (const _ of [1, 2]) {
        const response = await connection.response();
        assert.equal(response.status, 307);
        assert.deepEqual(response.header('location'), ['/api/identity/x?y=z']);
        assert.equal(response.body.length, 0);
        for (const name of ['content-type', 'content-encoding', 'content-language', 'etag'])
          assert.deepEqual(response.header(name), [], name);
      }
    });

    it('keeps its body if the Location is unchanged', async () => {
      replies('302 Found', ['Location: https://login.example/ui', 'Content-Type: text/html'], 'over there');
      const response = await get('identity');
      assert.deepEqual(response.header('location'), ['https://login.example/ui']);
      assert.deepEqual(response.header('content-type'), ['text/html']);
      assert.equal(response.body.toString(), 'over there');
    });

    it('keeps its body if it is not a redirect', async () => {
      replies('201 Created', [JSON_TYPE, 'Location: /admin/identities/1'], '{"id":"1"}');
      const response = await get('identity-admin');
      assert.deepEqual(response.header('location'), ['/api/identity-admin/admin/identities/1']);
      assert.equal(response.body.toString(), '{"id":"1"}');
    });

    for (const [prefix, from, to] of [
      // Paths of the other API of the service, at any address.
      [
        'identity',
        'http://kratos.internal:9999/admin/identities?page_size=2',
        '/api/identity-admin/admin/identities?page_size=2',
      ],
      ['identity-admin', 'https://public.example/schemas/b3A?x=y', '/api/identity/schemas/b3A?x=y'],
      // Paths that only begin like those of the other API.
      ['identity', 'https://login.example/administration', 'https://login.example/administration'],
      ['identity-admin', 'http://kratos.internal:9999/schematic', '/api/identity-admin/schematic'],
    ] as const)
      it(`${from === to ? `still leads to ${to}` : `leads to ${to} in place of ${from},`} on the prefix ${prefix}`, async () => {
        replies('307 Temporary Redirect', [`Location: ${from}`], '');
        assert.deepEqual((await get(prefix)).header('location'), [to]);
      });
  });

  it('keeps a Link header of 40 KB, with its targets below our prefix', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `9f425a8d-7efc-4768-8f23-${String(index).padStart(12, '0')}`);
    const target = `/admin/identities?${ids.map((id) => `ids=${id}`).join('&')}`;
    replies('200 OK', [JSON_TYPE, `Link: <${target}>; rel="first",<${target}>; rel="next"`], '[]');
    const response = await get('identity-admin');
    assert.equal(response.status, 200);
    assert.deepEqual(response.header('link'), [
      `</api/identity-admin${target}>; rel="first",</api/identity-admin${target}>; rel="next"`,
    ]);
  });
});
