import assert from 'node:assert/strict';
import { startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { echoRequest, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const namesIn = (text: string): string[] => text.trim().split(/\s+/);

describe('a request through the proxies', () => {
  const { upstream, send } = proxiesOfTest({
    urls: (url) => ({ identity: url, 'identity-admin': url, oauth: url, 'iam-identity': `${url}/base/path/` }),
    authorization: async (name) => (name === 'oauth' ? 'Bearer stored' : undefined),
  });
  const lastRequest = () => upstream.requests.at(-1) ?? assert.fail('no request has reached the upstream');

  it('keeps its headers byte for byte, with their spelling and repetitions', async () => {
    const headers = [
      'Accept: application/json;q=0.9, */*',
      'X-CUSTOM-Thing:  two  spaces inside ',
      'X-Session-Token: ory_st_abc',
      'x-repeat: one',
      'X-Repeat: two',
      'Accept-Encoding: br;q=1, gzip',
      'If-None-Match: W/"1"',
      'X-Latin: caf\xe9',
      'Authorization: Basic dXNlcjpwYXNz',
      'Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      'Tracestate: vendor=1',
    ];
    await send('GET /api/identity/whoami', headers);
    for (const line of headers) {
      const [name = '', value = ''] = line.split(/:\s*(.*)/);
      assert.ok(lastRequest().header(name).includes(value.trim()), line);
    }
    assert.deepEqual(lastRequest().header('x-repeat'), ['one', 'two']);
    assert.ok(lastRequest().rawHeaders.some(([name]) => name === 'X-CUSTOM-Thing'));
  });

  it('keeps its target without the prefix, appended to the path of the configured address', async () => {
    const unchanged = [
      '/a/b?x=1&y=%20+%2B&z=',
      '/x/http:/y',
      '/%E4%B8%AD/%40',
      '/a?q=1#b',
      '/a?back=\\&pipe=|&brace={}',
      '/a?',
    ];
    for (const [sent, received] of [
      ...unchanged.map((target) => [`/api/identity${target}`, target]),
      ['/api/identity?a=b', '/?a=b'],
      ['/api/iam-identity/x/?a=b', '/base/path/x?a=b'],
      ['/api/iam-identity', '/base/path/'],
    ]) {
      await send(`GET ${sent}`);
      assert.equal(lastRequest().target, received);
    }
  });

  it('loses its Authorization to an admin API, and no other header', async () => {
    const headers = ['Content-Type: application/json', 'If-Match: "1"', 'X-Own: 1', 'Content-Length: 2'];
    const sent = [...headers, 'AUTHORIZATION: Bearer caller', 'authorization: Bearer again'];
    await send('PATCH /api/identity-admin/x', sent, '[]');
    for (const line of headers) {
      const [name = '', value = ''] = line.split(': ');
      assert.deepEqual(lastRequest().header(name), [value]);
    }
    assert.deepEqual(lastRequest().header('authorization'), []);
    await send('GET /api/identity/x', ['AUTHORIZATION: Bearer caller']);
    assert.deepEqual(lastRequest().header('authorization'), ['Bearer caller']);
  });

  const FORGED = [
    ...namesIn(`
      X-Forwarded-For x-forwarded-host X-FORWARDED-PROTO X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-User Forwarded
      X-Real-IP X-Real-Ip True-Client-IP CF-Connecting-IP Cf-Ipcountry X-Client-IP X-Cluster-Client-Ip
      X-Envoy-External-Address x-envoy-original-path X-Ory-Original-Host Ory-Base-URL-Rewrite Proxy Via X-Original-URL
      X-Rewrite-URL X-Method-Override X-HTTP-Method-Override X-Http-Method X_Forwarded_For Content_Length X-User_Role
      __proto__ Keep-Alive Proxy-Authorization Proxy-Connection Trailer Upgrade HTTP2-Settings X-Request-Id Baggage
      BAGGAGE X-Listed-As-Hop Dashboard-Reason DASHBOARD-REASON`).map((name) => `${name}: forged`),
    'TE: trailers, forged',
    'Connection: X-Listed-As-Hop, close ,  Te',
  ];
  for (const [method, body, extra] of [
    ['GET', '', []],
    ['POST', 'hi', ['Content-Length: 2', 'eXpect: 100-continue']],
  ] as const)
    it(`loses headers that impersonate others or apply to one hop, with the method ${method}`, async () => {
      await send(`${method} /api/identity/x`, [...FORGED, ...extra], body);
      const { rawHeaders, header } = lastRequest();
      assert.doesNotMatch(JSON.stringify(rawHeaders), /forged|trailers/);
      const names = rawHeaders.map(([name]) => name.toLowerCase());
      assert.deepEqual(
        names.filter((name) => /_|expect|upgrade|^te$|trailer|keep-alive|proxy-|via|forwarded$/.test(name)),
        [],
      );
      assert.equal((await lastRequest().body).toString(), body);
      assert.deepEqual(header('x-forwarded-for'), ['127.0.0.1']);
      assert.deepEqual(header('x-real-ip'), ['127.0.0.1']);
      assert.deepEqual(header('x-forwarded-host'), ['dashboard.example']);
      assert.deepEqual(header('x-forwarded-proto'), ['https']);
      assert.deepEqual(header('host'), [`127.0.0.1:${upstream.port}`]);
      assert.deepEqual(header('connection'), ['keep-alive']);
    });

  it('keeps all of its 2,001 headers', async () => {
    const many = Array.from({ length: 2_001 }, (_, index) => `q${index.toString(36)}:`);
    await send('GET /api/identity/x', many);
    assert.equal(lastRequest().rawHeaders.filter(([, value]) => value === '').length, 2_001);
  });

  const cookies: [string, string[]][] = [
    ['Cookie: a=1; dashboard-session=secret; b=2', ['a=1; b=2']],
    ['cOOkie: dashboard-session=secret', []],
    ['Cookie:   dashboard-session = secret ;ory_kratos_session=MTU=', ['ory_kratos_session=MTU=']],
    ['Cookie: oauth_state=secret; dashboard-login=secret; __Host-dashboard-login=secret; z=', ['z=']],
    ['Cookie: =dashboard-session=secret; x=y', ['x=y']],
    ['Cookie: a="x=1";  csrf_token_9=ab==', ['a="x=1";  csrf_token_9=ab==']],
    ['Cookie: not-dashboard-session=1; xdashboard-session=2', ['not-dashboard-session=1; xdashboard-session=2']],
  ];
  it("keeps the upstream's cookies and loses the dashboard's, in any spelling", async () => {
    for (const [line, expected] of cookies) {
      await send('GET /api/identity/x', [line]);
      assert.deepEqual(lastRequest().header('cookie'), expected, line);
      assert.ok(!JSON.stringify(lastRequest().rawHeaders).includes('secret'));
    }
  });

  it('has the stored key even if its Connection header lists Authorization', async () => {
    for (const listed of ['Authorization', 'X-A, AUTHORIZATION , Cookie']) {
      await send('GET /api/oauth/x', [`Connection: ${listed}`, 'Authorization: Bearer caller']);
      assert.deepEqual(lastRequest().header('authorization'), ['Bearer stored']);
      assert.deepEqual(lastRequest().header('connection'), ['keep-alive']);
    }
  });
});

describe('the trace of a request through the service', () => {
  const IDS = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
  const zeros = (part: RegExp): string => IDS.replace(part, (digits) => '0'.repeat(digits.length));
  const WRONG = [`ff-${IDS}-00`, `00-${IDS.toUpperCase()}-00`, `00-${IDS}-0`, `00-${IDS}-00-`, `0-${IDS}-00`, '', 'x'];
  const REFUSED = [...WRONG, `00-${zeros(/^\w+/)}-00`, `00-${zeros(/\w+$/)}-00`].map((one) => [one]);
  const SAMPLED = [[], [`00-${IDS}-01`], [`cc-${IDS}-ff`]];
  const upstream = ofSuite(() => startRawUpstream(echoRequest));
  for (const [what, EVENTS_PORT] of Object.entries({ 'sampled, or none, with': '0', 'unchanged without': '' })) {
    const dashboard = ofSuite(() => startDashboard({ env: { EVENTS_PORT, OAUTH_URL: upstream.url } }));
    it(`is ${what} a listener for events`, async () => {
      const sent = [[], [`00-${IDS}-00`], [`cc-${IDS}-fe`], ...REFUSED, [`00-${IDS}-01`, `00-${IDS}-01`]];
      for (const [index, traces] of sent.entries()) {
        const headers = [...traces.map((one) => `TraceParent: ${one}`), 'Tracestate: a=1', 'B3: 0'];
        await sendRaw(dashboard.port, requestHead('GET /api/oauth/x', headers));
        const received = EVENTS_PORT === '' ? traces : SAMPLED[index];
        const names = ['traceparent', 'tracestate', 'b3'];
        const values = names.map((name) => upstream.requests.at(-1)?.header(name));
        assert.deepEqual(values, [received ?? [], ['a=1'], ['0']], traces.join());
      }
    });
  }
});

describe('a response through the proxies', () => {
  /** The upstream's next responses, with complete header lines. `draining` means that the service is shutting down. */
  const reply = { status: '', headers: [] as string[], draining: false };
  const { send } = proxiesOfTest({
    handler: (_request, socket) => socket.write(rawResponse(reply.status, reply.headers, 'fine')),
    isDraining: () => reply.draining,
  });
  beforeEach(() => void Object.assign(reply, { status: '200 OK', headers: [], draining: false }));

  for (const draining of [false, true])
    it(`keeps its status and headers byte for byte${draining ? ' during a shutdown' : ''}, with Node’s reason phrase`, async () => {
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

  it('has each header that would act on our origin replaced or dropped', async () => {
    const REPLACED = {
      'Content-Security-Policy': "sandbox allow-forms allow-scripts; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Keep-Alive': 'timeout=75',
    };
    const DROPPED = namesIn(`
      Content-Security-Policy-Report-Only Server Clear-Site-Data Service-Worker-Allowed Strict-Transport-Security Alt-Svc
      Refresh NEL X-Accel-Redirect X-Accel-Buffering X-Accel-Expires X-Sendfile X-LIGHTTPD-send-file
      X-LiteSpeed-Cache-Control CDN-Cache-Control Cloudflare-CDN-Cache-Control Surrogate-Control Edge-Control Accept-CH
      Critical-CH Origin-Agent-Cluster Secure-Session-Registration Use-As-Dictionary Speculation-Rules Set-Login
      Cross-Origin-Opener-Policy-Report-Only Report-To Reporting-Endpoints Access-Control-Allow-Origin
      access-control-allow-credentials Access-Control-Expose-Headers X-Listed-As-Hop Proxy-Authenticate Trailer Upgrade`);
    reply.headers = [...Object.keys(REPLACED), ...DROPPED, 'X-Request-Id'].map((name) => `${name}: theirs`);
    reply.headers.push('Connection: X-Listed-As-Hop, keep-alive', '__proto__: a', '__proto__: b');
    const result = await send('GET /api/identity-admin/x');
    for (const [name, value] of Object.entries(REPLACED)) assert.deepEqual(result.header(name), [value]);
    for (const name of DROPPED) assert.deepEqual(result.header(name), [], name);
    assert.equal(result.header('x-request-id').length, 1);
    assert.doesNotMatch(JSON.stringify(result.rawHeaders), /theirs/);
  });

  it('cannot set the dashboard’s cookies, in any spelling', async () => {
    reply.headers = [
      'Set-Cookie: dashboard-session=forged; Path=/',
      'set-cookie:   dashboard-session =forged',
      'Set-Cookie: =dashboard-session=forged',
      'Set-Cookie: dashboard-session',
      'Set-Cookie: oauth_state=forged',
      'Set-Cookie: __Host-dashboard-login=forged; Secure; Path=/',
      'Set-Cookie: own=dashboard-session=x',
    ];
    const result = await send('GET /api/identity/x');
    assert.deepEqual(result.header('set-cookie'), ['own=dashboard-session=x']);
  });

  it('passes with 990 headers, and becomes a 502 if Node would drop headers or stop reading them', async () => {
    const lines = (count: number, value = ''): string[] =>
      Array.from({ length: count }, (_, index) => `x-${index}: ${value}`);
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
