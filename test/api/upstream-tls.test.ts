import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../support/certificate.ts';
import { startServiceProcess } from '../support/service-process.ts';

type Listening = { server: Server; seen: string[]; cert: string };

describe('an upstream whose address is https', () => {
  let trusted: Listening;
  let untrusted: Listening;
  let directory: string;

  async function listening(): Promise<Listening> {
    const { cert, key } = selfSigned('localhost');
    const seen: string[] = [];
    const server = createServer({ cert, key }, (req, res) => {
      seen.push(req.url ?? '');
      res.end('served');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, seen, cert };
  }
  const at = ({ server }: Listening, host: string): string =>
    `https://${host}:${(server.address() as AddressInfo).port}`;

  before(async () => {
    [trusted, untrusted] = [await listening(), await listening()];
    directory = await mkdtemp(join(tmpdir(), 'certificates-'));
    await writeFile(join(directory, 'trusted.pem'), trusted.cert);
  });
  after(async () => {
    for (const { server } of [trusted, untrusted]) server.close().closeAllConnections();
    await rm(directory, { recursive: true });
  });

  it('is asked only where its certificate is trusted and names its host', async () => {
    const service = await startServiceProcess({
      NODE_EXTRA_CA_CERTS: join(directory, 'trusted.pem'),
      IDENTITY_URL: at(trusted, 'localhost'),
      // The same server by a name that its certificate does not give.
      IAM_IDENTITY_URL: at(trusted, '127.0.0.1'),
      OAUTH_URL: at(untrusted, 'localhost'),
    });
    try {
      const right = await service.get('/api/identity/right');
      assert.deepEqual([right.status, right.body.toString()], [200, 'served']);
      for (const path of ['/api/iam-identity/another-name', '/api/oauth/not-trusted'])
        assert.equal((await service.get(path)).status, 500, path);
      assert.deepEqual([trusted.seen, untrusted.seen], [['/right'], []]);
    } finally {
      await service.close();
    }
  });
});
