import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upstreamFetch } from '../../server/upstream/fetch.ts';
import { selfSigned } from '../support/certificate.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { startServiceProcess } from '../support/processes.ts';
import { startProxyApp } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { startFirstBytes, TLS_HANDSHAKE } from '../support/raw-upstream.ts';

describe('an upstream with an https address', () => {
  /** @param send returns once its request has failed, as the upstream closes each connection after its first bytes */
  async function assertEncrypted(send: (url: string) => Promise<unknown>): Promise<void> {
    const peer = await startFirstBytes();
    try {
      await send(`https://127.0.0.1:${peer.port}`);
    } finally {
      peer.close();
    }
    assert.equal(peer.arrived[0]?.[0], TLS_HANDSHAKE);
    assert.doesNotMatch(Buffer.concat(peer.arrived).toString('latin1'), /Bearer|plain/);
  }

  it('receives neither key nor body of a proxied request in plain text', () =>
    assertEncrypted(async (url) => {
      const app = await startProxyApp({ 'identity-admin': url }, { authorization: async () => 'Bearer stored' });
      const response = await sendRaw(
        app.port,
        `${requestHead('PUT /api/identity-admin/x', ['Content-Length: 5'])}plain`,
      );
      await app.close();
      assert.equal(response.status, 500);
    }));

  it('receives no key of the server’s own requests in plain text', () =>
    assertEncrypted((url) =>
      assert.rejects(upstreamFetch(url, { headers: { authorization: 'Bearer key' }, timeoutMs: 60_000 }), {
        kind: 'broken',
      }),
    ));

  describe('and a certificate', () => {
    type Listening = Awaited<ReturnType<typeof listening>>;
    let trusted: Listening;
    let untrusted: Listening;
    let directory: string;

    async function listening() {
      const { cert, key } = selfSigned('localhost');
      const requested: string[] = [];
      const server = createServer({ cert, key }, (req, res) => {
        requested.push(req.url ?? '');
        res.end('served');
      });
      return { ...(await listenOnLoopback(server)), requested, cert };
    }
    const urlOf = ({ port }: Listening, host: string): string => `https://${host}:${port}`;

    before(async () => {
      [trusted, untrusted] = [await listening(), await listening()];
      directory = await mkdtemp(join(tmpdir(), 'certificates-'));
      await writeFile(join(directory, 'trusted.pem'), trusted.cert);
    });
    after(async () => {
      for (const { close } of [trusted, untrusted]) await close();
      await rm(directory, { recursive: true });
    });

    it('receives requests only if the certificate is trusted and names its host', async () => {
      const service = await startServiceProcess({
        NODE_EXTRA_CA_CERTS: join(directory, 'trusted.pem'),
        IDENTITY_URL: urlOf(trusted, 'localhost'),
        // The same server by a name that its certificate does not contain.
        IAM_IDENTITY_URL: urlOf(trusted, '127.0.0.1'),
        OAUTH_URL: urlOf(untrusted, 'localhost'),
      });
      try {
        const served = await service.get('/api/identity/right');
        assert.deepEqual([served.status, served.body.toString()], [200, 'served']);
        for (const path of ['/api/iam-identity/another-name', '/api/oauth/not-trusted'])
          assert.equal((await service.get(path)).status, 500, path);
        assert.deepEqual([trusted.requested, untrusted.requested], [['/right'], []]);
      } finally {
        await service.close();
      }
    });
  });
});
