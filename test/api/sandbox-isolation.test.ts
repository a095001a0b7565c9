import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startSandbox } from '../../server/sandbox/start-sandbox.ts';
import { DASHBOARD, sandboxFixture } from '../support/sandbox-fixture.ts';

describe('the sandbox, apart from the service', () => {
  it('does not start in production', async () => {
    const fixture = await sandboxFixture();
    const options = { deployment: 'customer', dataDirectory: fixture.directory, dashboardUrl: DASHBOARD } as const;
    await assert.rejects(startSandbox({ ...options, production: true }), /does not start in production/);
    await fixture.close();
  });

  it('listens on its loopback address alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    // A machine without a network has other addresses in 127.0.0.0/8, which a listener on all of them answers at as well.
    const address = outside?.address ?? '127.0.0.2';
    const fixture = await sandboxFixture();
    try {
      for (const port of ['identity', 'identityAdmin', 'oauth', 'oauthAdmin'] as const) {
        const socket = connect(Number(new URL(fixture.url(port)).port), address);
        const outcome = await new Promise((resolve) => {
          socket.once('connect', () => resolve('connected'));
          socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        });
        socket.destroy();
        assert.equal(outcome, 'ECONNREFUSED', port);
      }
    } finally {
      await fixture.close();
    }
  });
});
