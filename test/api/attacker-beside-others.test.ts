import assert from 'node:assert/strict';
import { addressesOf, attack, callers, largeOrSmall } from '../support/attacks.ts';
import { becomes } from '../support/becomes.ts';
import { startRawUpstream } from '../support/raw-upstream.ts';
import { startServiceProcess } from '../support/service-process.ts';

const CONNECTIONS = 128;

/** More attackers, and other ways to hold connections: attacker-beside-others.all.test.ts. */
describe('two addresses that hold all connections to an upstream with slow uploads', () => {
  it('keep nobody else from being served', async () => {
    const upstream = await startRawUpstream(largeOrSmall, { keepBodies: false });
    const service = await startServiceProcess({ IDENTITY_URL: upstream.url });
    const attacks: (() => void)[] = [];
    try {
      for (const from of ['127.0.0.66', '127.0.0.67'])
        attacks.push(await attack('uploads that crawl', { port: service.port, from, connections: CONNECTIONS / 2 }));
      // So many take a slow machine long.
      await becomes(() => upstream.open() >= CONNECTIONS, true, undefined, 50_000);
      const addresses = addressesOf(5);
      const served = await callers({ port: service.port, path: '/api/identity/y', addresses }, (done) => done < 2);
      assert.deepEqual(served.failures, []);
      assert.equal(served.milliseconds.length, 10);
    } finally {
      for (const end of attacks) end();
      await service.close();
      await upstream.close();
    }
  });
});
