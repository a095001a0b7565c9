import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { startServiceProcess } from '../support/service-process.ts';

describe('SIGUSR2', () => {
  it('makes a running service log at debug, and go back', async () => {
    const service = await startServiceProcess({ LOG_LEVEL: 'info' });
    try {
      const probes = (): number => service.running.output().match(/"route":"\/api\/health"/g)?.length ?? 0;
      await service.isHealthy();
      assert.equal(probes(), 0);
      process.kill(service.running.pid, 'SIGUSR2');
      await service.running.printed(/"minutes":10,"msg":"logs at level debug for a while"/);
      await service.isHealthy();
      await becomes(() => probes() > 0, true);
      process.kill(service.running.pid, 'SIGUSR2');
      await service.running.printed(/"level":"info","msg":"logs at the usual level again"/);
      const before = probes();
      await service.isHealthy();
      assert.equal(probes(), before);
    } finally {
      await service.close();
    }
  });
});
