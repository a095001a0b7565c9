import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { TEST_KEYS } from '../support/context.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { eventually, until } from '../support/eventually.ts';
import { signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { freePort } from '../support/loopback.ts';
import { folderOfTest, ofSuite } from '../support/of-suite.ts';
import { SERVICE_ARGUMENTS, startNode, startServiceProcess } from '../support/processes.ts';
import { RawConnection, requestHead, sendRaw } from '../support/raw-client.ts';

describe('the log line of a request', () => {
  const dashboard = ofSuite(startWithAdmin);

  async function lineOf(response: Response, msg = 'request'): Promise<Record<string, unknown>> {
    const id = response.headers.get('x-request-id');
    const find = () =>
      dashboard.logged.map((line) => JSON.parse(line)).find((line) => line.id === id && line.msg === msg);
    await until(() => find() !== undefined);
    return find();
  }

  it('contains the pattern of the route in place of the path that the caller sent', async () => {
    for (const [method, path, signedIn, status, route] of [
      ['GET', '/api/settings/none', true, 404, '/api/settings/:key'],
      ['GET', '/api/settings/my-secret-name', false, 401, '/api/settings/*'],
      ['GET', '/api/identities?page_size=x', true, 400, '/api/identities'],
      ['POST', '/api/auth/session', false, 405, '/api/auth/session'],
      ['GET', '/api/my-secret-name', false, 401, '/api/*'],
      ['GET', '/api/my-secret-name/x', true, 404, '/api/*/*'],
      ['GET', '/api/identity-admin/admin/identities/a@b', true, 404, '/api/identity-admin/admin/identities/*'],
    ] as const) {
      const response = await dashboard.call(path, { method, ...(signedIn ? { session: dashboard.admin } : {}) });
      assert.equal(response.status, status, path);
      assert.equal((await lineOf(response))['route'], route);
    }
    assert.doesNotMatch(dashboard.logged.join(''), /my-secret-name|a@b/);
  });

  it('contains the trace id of a well-formed traceparent header, and nothing of a malformed one', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (const [traceparent, trace] of [
      [`00-${id}-00f067aa0ba902b7-01`, id],
      [`00-${id}-00f067aa0ba902b7-01-"x":1`, undefined],
      ['","level":60,"x":"', undefined],
    ] as const) {
      const response = await dashboard.call('/api/auth/session', { headers: { traceparent } });
      assert.equal((await lineOf(response))['trace'], trace, traceparent);
    }
  });

  it('is accompanied by a line with the cause if a sign-in fails because its provider is unreachable', async () => {
    await dashboard.restart({ AUTH_INTERNAL_URL: 'http://127.0.0.1:1' });
    const operator = dashboard.operator('admin');
    const { callback, jar } = await signInUpToCallback(dashboard.url, dashboard.baseUrl, operator);
    const response = await visit(callback, jar, { headers: { accept: 'text/html' } });
    assert.equal(response.headers.get('location'), '/sign-in-failed?reason=provider_unreachable');
    const line = await lineOf(response, 'sign-in failed');
    assert.match(JSON.stringify(line), /"code":"unreachable".*ECONNREFUSED/);
  });
});

describe('the log of the service', () => {
  const inFolder = folderOfTest();
  it('is at level debug from one SIGUSR2 to the next', async () => {
    const service = await startServiceProcess({ LOG_LEVEL: 'info' });
    try {
      const { running } = service;
      const probes = (): number => running.output().match(/"route":"\/api\/health"/g)?.length ?? 0;
      await service.isHealthy();
      assert.equal(probes(), 0);
      process.kill(running.pid, 'SIGUSR2');
      await running.untilPrinted(/"minutes":10,"msg":"logging at level debug for a while"/);
      await service.isHealthy();
      await until(() => probes() > 0);
      process.kill(running.pid, 'SIGUSR2');
      await running.untilPrinted(/"level":"info","msg":"logging at the usual level again"/);
    } finally {
      await service.close();
    }
  });

  for (const [how, fault] of Object.entries({
    'an unexpected exception': "setTimeout(() => { throw new Error('bound value') });",
    'an unhandled rejection': "void Promise.reject(new Error('bound value'));",
  }))
    it(`records ${how} without its message before the process exits with code 1`, async () => {
      const running = startNode([
        '--input-type=module',
        '--eval',
        `import { installCrashHandler } from './server/process/shutdown.ts';
         import { createLog } from './server/log.ts';
         installCrashHandler(createLog({ level: 'info', production: true }));
         setInterval(() => {}, 1000);
         ${fault}`,
      ]);
      assert.equal(await running.ended(), 1);
      assert.match(
        running.output(),
        /"level":60.*"error":\{"name":"Error".*"msg":"unexpected error: the process exits"/,
      );
      assert.doesNotMatch(running.output(), /bound value/);
    });

  /** Even a slow machine starts or ends a process in this time. */
  const PATIENCE_MS = 60_000;
  for (const [condition, output] of [
    ['its pipe is not read', 'pipe'],
    ['its disk is full', '/dev/full'],
  ] as const)
    it(`blocks neither requests nor the shutdown if ${condition}`, async () => {
      const port = await freePort();
      const { PATH = '', HOME = '' } = process.env;
      const child = spawn(process.execPath, SERVICE_ARGUMENTS, {
        cwd: new URL('../../', import.meta.url),
        // Nothing reads the pipe.
        stdio: ['ignore', output === 'pipe' ? output : openSync(output, 'w'), 'ignore'],
        env: {
          PATH,
          HOME,
          ...TEST_KEYS,
          NODE_ENV: 'production',
          PORT: String(port),
          BASE_URL: `http://localhost:${port}`,
          DATABASE_URL: `sqlite:${inFolder('dashboard.sqlite')}`,
          AUTH_URL: 'http://127.0.0.1:1',
          OAUTH_CLIENT_ID: 'dashboard',
        },
      });
      const exited = once(child, 'exit');
      try {
        const ready = (): Promise<number | undefined> =>
          sendRaw(port, requestHead('GET /api/health?probe=ready')).then(
            ({ status }) => status,
            () => undefined,
          );
        await eventually(ready, 200, undefined, PATIENCE_MS);
        const connection = await RawConnection.open(port);
        // Each request logs some 200 bytes, and all of them together far more than a pipe buffers.
        for (let round = 0; round < 40; round += 1) {
          connection.write(requestHead('GET /api/settings').repeat(50));
          for (let index = 0; index < 50; index += 1) assert.equal((await connection.response()).status, 401);
        }
        connection.close();
      } finally {
        child.kill('SIGTERM');
      }
      const killing = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      assert.deepEqual(await exited, [0, null]);
      clearTimeout(killing);
    }).timeout(3 * PATIENCE_MS);
});
