import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express from 'express';
import { spa } from '../../server/spa.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { folderOfSuite, ofSuite } from '../support/of-suite.ts';

const SCRIPT = 'console.log("the app");'.repeat(100);
const PAGE =
  '<!doctype html><html data-deployment="__DEPLOYMENT__" data-sign-in="__SIGN_IN__" data-sign-in-log="__SIGN_IN_LOG__" data-reason="__REASON__"><meta name="version" content="__VERSION__">' +
  '<meta name="environment" content="__ENVIRONMENT__"><meta name="upstreams" content="__UPSTREAMS__">' +
  '<style nonce="__CSP_NONCE__"></style><script src="/assets/app-1.js" nonce="__CSP_NONCE__"></script></head>';

describe('the single-page app', () => {
  const inFolder = folderOfSuite();

  const server = ofSuite(() => {
    mkdirSync(inFolder('assets'));
    mkdirSync(inFolder('.vite'));
    writeFileSync(inFolder('index.html'), PAGE);
    writeFileSync(inFolder('.vite', 'manifest.json'), '{}');
    writeFileSync(inFolder('assets', 'app-1.js'), SCRIPT);
    writeFileSync(inFolder('assets', 'app-1.js.br'), brotliCompressSync(SCRIPT));
    writeFileSync(inFolder('assets', 'app-1.js.gz'), gzipSync(SCRIPT));
    writeFileSync(inFolder('assets', 'logo-2.svg'), '<svg/>');
    // In this environment, Express prints no unhandled errors.
    const app = express().set('env', 'test');
    app.use((_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store');
      next();
    });
    app.use(
      spa({
        directory: inFolder(),
        extraRoles: ['support'],
        requireReason: true,
        signIn: 'openid',
        hasSignInLog: true,
        deployment: 'workforce',
        environmentLabel: 'a "test" <&>',
        upstreams: ['iam-identity', 'oauth-admin'],
        version: '1.2.3"<',
      }),
    );
    app.use((_req, res) => res.status(401).end('gate'));
    return listenOnLoopback(createServer(app));
  });

  async function send(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = await response.toArray();
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }
  const statusOf = async (...args: Parameters<typeof send>): Promise<number> => (await send(...args)).status;
  const nonceOf = ({ headers }: Awaited<ReturnType<typeof send>>) =>
    /nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];

  describe('sends its page', () => {
    it('with deployment, version, environment, configured upstreams and a new nonce that the Content-Security-Policy names', async () => {
      const response = await send('/settings', { accept: 'text/html,application/xhtml+xml;q=0.9' });
      const nonce = nonceOf(response) ?? '';
      assert.notEqual(nonceOf(await send('/settings', { accept: '*/*' })), nonce);
      assert.ok(nonce.length >= 22);
      assert.equal(response.status, 200);
      assert.equal(response.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(response.headers['cache-control'], 'no-store');
      // The policy is written out: a comparison with the function that creates it would accept a weaker one.
      assert.equal(
        response.headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; " +
          `style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      const page = response.body.toString();
      assert.equal(page.split(`nonce="${nonce}"`).length, 3);
      assert.match(
        page,
        /data-deployment="workforce" data-sign-in="openid" data-sign-in-log="on" data-reason="required".*content="1\.2\.3&quot;&lt;".*content="a &quot;test&quot; &lt;&.*"iam-identity oauth-admin"/,
      );
      assert.doesNotMatch(page, /__[A-Z_]+__/);
    });

    it('to a caller that accepts HTML, and to no other', async () => {
      for (const accept of ['text/html', '*/*', 'TEXT/HTML; q=0.1', 'application/json, */*;q=0.1'])
        assert.equal(await statusOf('/identities/1', { accept }), 200, accept);
      for (const accept of ['application/json', 'text/*', 'text/html;q=0', 'text/html;q=x', 'text/htmlx'])
        assert.equal(await statusOf('/identities/1', { accept }), 401, accept);
      assert.equal(await statusOf('/identities/1'), 401);
    });

    it('for any path outside the API, including one with a dot, but only in response to GET and HEAD', async () => {
      const accept = 'text/html';
      for (const path of ['/apiary', '/v1.2', '/oauth/clients/shop.example/json'])
        assert.equal(await statusOf(path, { accept }), 200, path);
      for (const path of ['/api', '/api/', '/api/nothing']) assert.equal(await statusOf(path, { accept }), 401, path);
      assert.equal(await statusOf('/v1.2', { accept, 'sec-fetch-mode': 'navigate' }), 200);
      assert.equal(await statusOf('/oauth/clients/shop.example/json', { accept: '*/*' }), 200);
      assert.equal(await statusOf('/', { accept }, 'HEAD'), 200);
      for (const method of ['POST', 'DELETE', 'OPTIONS'])
        assert.equal(await statusOf('/', { accept }, method), 401, method);
    });
  });

  describe('sends a built asset', () => {
    it('as immutable and cacheable for a year, whatever media type the caller accepts', async () => {
      const { body, headers } = await send('/assets/app-1.js', { accept: 'image/png' });
      assert.equal(body.toString(), SCRIPT);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['vary'], 'Accept-Encoding');
      assert.equal(headers['content-encoding'], undefined);
    });

    it('in the content coding that the caller prefers', async () => {
      for (const [accepted, coding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0.2, gzip;q=0.8', 'gzip'],
        ['br;q=0, gzip;q=0', undefined],
        ['*', 'br'],
        ['identity, gzip;q=0.5', undefined],
        ['zstd', undefined],
      ] as const) {
        const { body, headers } = await send('/assets/app-1.js', { 'accept-encoding': accepted });
        assert.equal(headers['content-encoding'], coding, accepted);
        assert.equal(headers['content-length'], String(body.length));
        assert.equal(body.length < SCRIPT.length, coding !== undefined);
      }
    });

    it('with 304 and no body to a caller that has the current version', async () => {
      const first = await send('/assets/app-1.js');
      const second = await send('/assets/app-1.js', { 'if-none-match': `"other", ${first.headers['etag']}` });
      assert.equal(second.status, 304);
      assert.equal(second.body.length, 0);
      assert.equal(second.headers['cache-control'], first.headers['cache-control']);
      assert.match(String(second.headers['etag']), /^W\/"/);
    });
  });

  it('responds 404 for any other path of a file, even to a caller that accepts HTML', async () => {
    for (const path of [
      '/.vite/manifest.json',
      '/.well-known/security.txt',
      '/.well-known/openid-configuration',
      '/index.html',
      '/robots.txt',
      '/static/app.js/a',
      '/assets/',
      '/assets/app-2.js',
      '/assets/app-1.js.br',
      '/assets/APP-1.js',
      '/assets/../index.html',
      '/assets/%61pp-1.js',
      '/assets/..%2findex.html',
    ])
      for (const [accept, mode] of [
        ['image/png', 'no-cors'],
        ['*/*', 'cors'],
        ['text/html', 'cors'],
      ] as const)
        assert.equal(await statusOf(path, { accept, 'sec-fetch-mode': mode }), 404, path);
    assert.equal(await statusOf('/robots.txt', { accept: '*/*' }), 404);
    assert.equal(await statusOf('/assets/app-2.js', { accept: 'text/html', 'sec-fetch-mode': 'navigate' }), 404);
    assert.equal(await statusOf('/__proto__'), 401);
  });

  it('fails at start-up if it is not built, and names the command that builds it', () => {
    const missing = inFolder('missing');
    assert.throws(() => spa({ directory: missing } as never), /not built.*npm run build/);
  });
});
