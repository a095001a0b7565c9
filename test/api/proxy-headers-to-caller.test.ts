import assert from 'node:assert/strict';
import { headerExchangeOfSuite } from '../support/proxy-app.ts';

describe('headers through the proxies', () => {
  const { reply, send } = headerExchangeOfSuite();

  describe('to the caller', () => {
    for (const draining of [false, true])
      it(`pass byte for byte${draining ? ' during a shutdown' : ''} with the status, several Set-Cookie included, and the reason phrase is Node’s`, async () => {
        reply.draining = draining;
        reply.status = '203 Whatever They Say';
        reply.headers = [
          'Content-Type: application/vnd.x+json; charset=utf-8',
          'X-CUSTOM: a,b',
          'x-custom: c',
          'Set-Cookie: csrf=1; Path=/; HttpOnly',
          'set-cookie: ory_kratos_session=2; Path=/',
          'ETag: "x"',
          'WWW-Authenticate: Bearer realm="x"',
          'Date: Mon, 02 Jan 2006 15:04:05 GMT',
        ];
        const result = await send('GET /api/identity/x');
        assert.equal(result.line, 'HTTP/1.1 203 Non-Authoritative Information');
        assert.equal(result.body.toString(), 'fine');
        for (const [name, values] of Object.entries({
          'content-type': ['application/vnd.x+json; charset=utf-8'],
          'x-custom': ['a,b', 'c'],
          'set-cookie': ['csrf=1; Path=/; HttpOnly', 'ory_kratos_session=2; Path=/'],
          etag: ['"x"'],
          'www-authenticate': ['Bearer realm="x"'],
          date: ['Mon, 02 Jan 2006 15:04:05 GMT'],
          'content-length': ['4'],
        }))
          assert.deepEqual(result.header(name), values);
      });

    it('what would act on our origin is replaced or dropped', async () => {
      reply.headers = [
        'Content-Security-Policy: default-src *',
        'content-security-policy-report-only: default-src *',
        'X-Content-Type-Options: none',
        'Cross-Origin-Resource-Policy: cross-origin',
        'Cache-Control: public, max-age=600',
        'Server: secret/1',
        'Clear-Site-Data: "*"',
        'Service-Worker-Allowed: /',
        'Strict-Transport-Security: max-age=0',
        'Alt-Svc: h3=":443"',
        'Refresh: 0; url=http://evil/',
        'NEL: {}',
        'X-Accel-Redirect: /secret',
        'X-Accel-Buffering: no',
        'X-Accel-Expires: 600',
        'X-Sendfile: /secret',
        'X-LIGHTTPD-send-file: /secret',
        'X-LiteSpeed-Cache-Control: public',
        'CDN-Cache-Control: max-age=600',
        'Cloudflare-CDN-Cache-Control: max-age=600',
        'Surrogate-Control: max-age=600',
        'Edge-Control: max-age=600',
        'Accept-CH: Sec-CH-UA-Model',
        'Critical-CH: Sec-CH-UA-Model',
        'Origin-Agent-Cluster: ?1',
        'Secure-Session-Registration: (ES256);path="/start"',
        'Use-As-Dictionary: match="/*"',
        'Speculation-Rules: "/rules.json"',
        'Set-Login: logged-in',
        'Referrer-Policy: unsafe-url',
        'Cross-Origin-Opener-Policy: unsafe-none',
        'Cross-Origin-Opener-Policy-Report-Only: same-origin; report-to="evil"',
        'Report-To: {}',
        'Reporting-Endpoints: evil="http://evil/"',
        'Access-Control-Allow-Origin: *',
        'access-control-allow-credentials: true',
        'Access-Control-Expose-Headers: *',
        'X-Request-Id: theirs',
        'Connection: X-Hop, keep-alive',
        'X-Hop: 1',
        'Keep-Alive: timeout=5',
        'Proxy-Authenticate: Basic',
        'Trailer: X-T',
        'Upgrade: h2c',
        '__proto__: a',
        '__proto__: b',
      ];
      const result = await send('GET /api/identity-admin/x');
      for (const [name, value] of Object.entries({
        'content-security-policy': "sandbox allow-forms allow-scripts; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'keep-alive': 'timeout=75',
      }))
        assert.deepEqual(result.header(name), [value]);
      assert.equal(result.header('x-request-id').length, 1);
      assert.notEqual(result.header('x-request-id')[0], 'theirs');
      const dropped =
        /^(server|clear-site-data|service-worker|strict-transport|alt-svc|refresh|nel|x-accel|x-sendfile|x-light|x-lite|.*cdn-|surrogate-|edge-|accept-ch|critical-ch|origin-agent|secure-session|use-as|speculation|set-login|report-to|reporting-|cross-origin-opener-policy-report|access-control|x-hop|proxy-|trailer|upgrade|content-security-policy-report)/i;
      assert.deepEqual(
        result.rawHeaders.filter(([name]) => dropped.test(name)),
        [],
      );
    });

    it('an upstream cannot set the dashboard’s cookies, in no spelling', async () => {
      reply.headers = [
        'Set-Cookie: dashboard-session=forged; Path=/',
        'set-cookie:   dashboard-session =forged',
        'Set-Cookie: =dashboard-session=forged',
        'Set-Cookie: dashboard-session',
        'Set-Cookie: oauth_state=forged',
        'Set-Cookie: __Host-dashboard-login=forged; Secure; Path=/',
        'Set-Cookie: kept=dashboard-session=x',
      ];
      const result = await send('GET /api/identity/x');
      assert.deepEqual(result.header('set-cookie'), ['kept=dashboard-session=x']);
    });

    it('990 lines pass; if Node would drop lines or stop reading, it is 502', async () => {
      const lines = (count: number, value = ''): string[] =>
        Array.from({ length: count }, (_, at) => `x-${at}: ${value}`);
      reply.headers = lines(990);
      const result = await send('GET /api/identity/x');
      assert.equal(result.body.toString(), 'fine');
      assert.equal(result.rawHeaders.filter(([name]) => /^x-\d+$/.test(name)).length, 990);
      for (const headers of [lines(1_000), lines(2_500), lines(70, 'v'.repeat(1_000))]) {
        reply.headers = headers;
        const refused = await send('GET /api/identity/x');
        assert.equal(refused.status, 502);
        assert.equal(JSON.parse(refused.body.toString()).error, 'bad_gateway');
      }
    });
  });
});
