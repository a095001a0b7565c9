import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log/log.ts';
import { debugForAWhile } from '../../server/process/log-level.ts';
import { becomes } from '../support/becomes.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
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
      assert.equal(await service.isHealthy(), true);
    } finally {
      await service.close();
    }
  });

  it('ends by itself, at the level that was configured', async () => {
    const log = createLog({ level: 'warn', production: false }, { write: () => {} });
    debugForAWhile(log, 1)();
    assert.equal(log.level, 'debug');
    await becomes(() => log.level, 'warn');
  });
});

describe('a process with its secrets in files', () => {
  it('starts, and names the file that it cannot read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    const files = Object.entries(TEST_KEYS).map(([name, value]) => {
      writeFileSync(join(folder, name), `${value}\n`);
      return [`${name}_FILE`, join(folder, name)];
    });
    const env = { SESSION_SIGNING_KEY: '', ENCRYPTION_KEY: '', ...Object.fromEntries(files) };
    try {
      const service = await startServiceProcess(env);
      assert.equal(await service.isHealthy(), true);
      await service.close();
      rmSync(join(folder, 'ENCRYPTION_KEY'));
      await assert.rejects(startServiceProcess(env), /ENCRYPTION_KEY_FILE names a file that cannot be read: ENOENT/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
