import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express from 'express';
import { spa } from '../../server/spa.ts';

const SCRIPT = 'console.log("the app");'.repeat(100);
const PAGE =
  '<!doctype html><html data-deployment="__DEPLOYMENT__"><meta name="version" content="__VERSION__">' +
  '<meta name="environment" content="__ENVIRONMENT__">' +
  '<style nonce="__CSP_NONCE__"></style><script src="/assets/app-1.js" nonce="__CSP_NONCE__"></script></head>';

const MANIFEST = {
  'features/identities/identities-page.tsx': {
    file: 'assets/identities-2.js',
    imports: ['index.html', 'lists'],
    css: ['assets/identities-2.css'],
  },
  lists: { file: 'assets/lists-3.js', imports: ['features/identities/identities-page.tsx'] },
  'index.html': { file: 'assets/app-1.js' },
};

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

describe('spa', () => {
  let directory: string;
  let server: Server;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'spa-'));
    mkdirSync(join(directory, 'assets'));
    mkdirSync(join(directory, '.vite'));
    writeFileSync(join(directory, 'index.html'), PAGE);
    writeFileSync(join(directory, '.vite', 'manifest.json'), JSON.stringify(MANIFEST));
    writeFileSync(join(directory, 'assets', 'app-1.js'), SCRIPT);
    writeFileSync(join(directory, 'assets', 'app-1.js.br'), brotliCompressSync(SCRIPT));
    writeFileSync(join(directory, 'assets', 'app-1.js.gz'), gzipSync(SCRIPT));
    writeFileSync(join(directory, 'assets', 'logo-2.svg'), '<svg/>');
    // Prints no error that nobody handles.
    const app = express().set('env', 'test');
    app.use((_req, res, next) => {
      res.setHeader('Cache-Control', 'no-store');
      next();
    });
    app.use(spa({ directory, deployment: 'workforce', environmentLabel: 'a "test" <&>', version: '1.2.3"<' }));
    app.use((_req, res) => res.status(401).end('gate'));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  after(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });

  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = await response.toArray();
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }
  const nonceOf = (answer: Answer) => /nonce-([^']+)'/.exec(String(answer.headers['content-security-policy']))?.[1];

  describe('the page', () => {
    it('carries deployment, version, environment and one nonce that its policy names', async () => {
      const answer = await ask('/settings', { accept: 'text/html,application/xhtml+xml;q=0.9' });
      const nonce = nonceOf(answer) ?? '';
      assert.notEqual(nonceOf(await ask('/settings', { accept: '*/*' })), nonce);
      assert.ok(nonce.length >= 22);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'no-store');
      // Written out: compared with the function that makes it, a weaker policy would be equal to itself.
      assert.equal(
        answer.headers['content-security-policy'],
        "default-src 'none'; script-src 'self'; " +
          `style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
          "frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      assert.equal(answer.body.toString().split(`nonce="${nonce}"`).length, 3);
      assert.match(
        answer.body.toString(),
        /data-deployment="workforce".*content="1\.2\.3&quot;&lt;".*content="a &quot;test&quot; &lt;&"?/,
      );
      assert.doesNotMatch(answer.body.toString(), /__[A-Z_]+__/);
    });

    it('names the files of a list that is opened, so that they load along with the app', async () => {
      const linksOf = async (path: string) =>
        [
          ...(await ask(path, { accept: 'text/html' })).body.toString().matchAll(/<link rel="(\w+)".*? href="(.*?)">/g),
        ].map(([, rel, href]) => `${rel} ${href}`);
      assert.deepEqual(await linksOf('/identities?page_size=50'), [
        'modulepreload /assets/identities-2.js',
        'preload /assets/identities-2.css',
        'modulepreload /assets/lists-3.js',
      ]);
      assert.deepEqual(await linksOf('/identities/1'), []);
    });

    it('is shown to whoever accepts HTML, at any address outside of the API', async () => {
      for (const accept of ['text/html', '*/*', 'TEXT/HTML; q=0.1', 'application/json, */*;q=0.1'])
        assert.equal((await ask('/identities/1', { accept })).status, 200, accept);
      for (const accept of ['application/json', 'text/*', 'text/html;q=0', 'text/html;q=x', 'text/htmlx'])
        assert.equal((await ask('/identities/1', { accept })).status, 401, accept);
      assert.equal((await ask('/identities/1')).status, 401);
      for (const path of ['/api', '/api/', '/api/nothing'])
        assert.equal((await ask(path, { accept: 'text/html' })).status, 401, path);
      assert.equal((await ask('/apiary', { accept: 'text/html' })).status, 200);
      for (const method of ['POST', 'DELETE', 'OPTIONS'])
        assert.equal((await ask('/', { accept: 'text/html' }, method)).status, 401, method);
    });
  });

  describe('a built asset', () => {
    it('is served for ever under its exact name, whatever the caller accepts', async () => {
      const answer = await ask('/assets/app-1.js', { accept: 'image/png' });
      assert.equal(answer.body.toString(), SCRIPT);
      assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(answer.headers['vary'], 'Accept-Encoding');
      assert.equal(answer.headers['content-encoding'], undefined);
    });

    it('goes out in the coding that the caller prefers', async () => {
      for (const [accepted, coding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0.2, gzip;q=0.8', 'gzip'],
        ['br;q=0, gzip;q=0', undefined],
        ['*', 'br'],
        ['identity, gzip;q=0.5', undefined],
        ['zstd', undefined],
      ] as const) {
        const answer = await ask('/assets/app-1.js', { 'accept-encoding': accepted });
        assert.equal(answer.headers['content-encoding'], coding, accepted);
        assert.equal(answer.headers['content-length'], String(answer.body.length));
        assert.equal(answer.body.length < SCRIPT.length, coding !== undefined);
      }
    });

    it('is not sent again to a caller that has it', async () => {
      const first = await ask('/assets/app-1.js');
      const again = await ask('/assets/app-1.js', { 'if-none-match': `"other", ${first.headers['etag']}` });
      assert.equal(again.status, 304);
      assert.equal(again.body.length, 0);
      assert.equal(again.headers['cache-control'], first.headers['cache-control']);
      assert.match(String(again.headers['etag']), /^W\/"/);
    });

    it('is the only file served: any other is missing, also to whoever would take a page', async () => {
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
          assert.equal((await ask(path, { accept, 'sec-fetch-mode': mode })).status, 404, path);
      assert.equal((await ask('/robots.txt', { accept: '*/*' })).status, 404);
      assert.equal((await ask('/assets/app-2.js', { accept: 'text/html', 'sec-fetch-mode': 'navigate' })).status, 404);
      assert.equal((await ask('/__proto__')).status, 401);
    });

    it('is not meant by an address of the app with a dot, nor by what a browser opens as a page', async () => {
      assert.equal((await ask('/oauth/clients/shop.example/json', { accept: '*/*' })).status, 200);
      const page = { accept: 'text/html' };
      for (const headers of [page, { ...page, 'sec-fetch-mode': 'navigate' }])
        assert.equal((await ask('/v1.2', headers)).status, 200);
    });
  });

  it('refuses to start without a built app, and says what builds it', () => {
    const missing = join(directory, 'missing');
    assert.throws(
      () => spa({ directory: missing, deployment: 'customer', environmentLabel: undefined, version: '1' }),
      /not built.*npm run build/,
    );
  });
});
