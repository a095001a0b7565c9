import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { startNode } from '../support/processes.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

describe('the process of the service', () => {
  let service: ServiceProcess;

  before(async () => {
    service = await startServiceProcess({ LOG_LEVEL: 'info' });
  });
  after(() => service.close());

  it('logs at debug between two SIGUSR2', async () => {
    const { running } = service;
    const probes = (): number => running.output().match(/"route":"\/api\/health"/g)?.length ?? 0;
    await service.isHealthy();
    assert.equal(probes(), 0);
    process.kill(running.pid, 'SIGUSR2');
    await running.printed(/"minutes":10,"msg":"logging at level debug for a while"/);
    await service.isHealthy();
    await eventually(() => probes() > 0, true);
    process.kill(running.pid, 'SIGUSR2');
    await running.printed(/"level":"info","msg":"logging at the usual level again"/);
  });

  for (const method of ['CONNECT a:1', 'GET /api/health', 'PRI *'])
    it(`outlives ${method} followed by a reset`, async () => {
      for (let round = 0; round < 20; round += 1) {
        const socket = connect(service.port, '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write(`${method} HTTP/1.1\r\nHost: a\r\n\r\n`);
        // At once, after the request has been read, and after its answer was written.
        await sleep(round % 4);
        socket.resetAndDestroy();
      }
      assert.ok(await service.isHealthy(), service.running.output());
    });
});

describe('an unexpected error', () => {
  const plant = (fault: string): ReturnType<typeof startNode> =>
    startNode([
      '--input-type=module',
      '--eval',
      `import { installCrashHandler } from './server/process/shutdown.ts';
       import { createLog } from './server/log.ts';
       installCrashHandler(createLog({ level: 'info', production: true }));
       setInterval(() => {}, 1000);
       ${fault}`,
    ]);
  const faults = {
    thrown: "setTimeout(() => { throw new Error('bound value') });",
    rejected: "void Promise.reject(new Error('bound value'));",
  };
  for (const [how, fault] of Object.entries(faults))
    it(`${how} is logged without its message, and the process ends with code 1`, async () => {
      const running = plant(fault);
      assert.equal(await running.ended(), 1);
      assert.match(
        running.output(),
        /"level":60.*"error":\{"name":"Error".*"msg":"unexpected error: the process exits"/,
      );
      assert.doesNotMatch(running.output(), /bound value/);
    });
});
