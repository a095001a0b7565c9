import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_KEYS } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { SERVICE } from '../support/service-program.ts';

const MEBIBYTE = 1024 * 1024;

describe('a log that nobody reads', () => {
  for (const environment of ['production', 'development'])
    it(`in ${environment} stops neither requests nor the end of the process, and fills no memory`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'service-'));
      const port = await freePort();
      const { PATH = '', HOME = '' } = process.env;
      const child = spawn(process.execPath, SERVICE, {
        cwd: new URL('../../', import.meta.url),
        // Nothing ever reads what it prints.
        stdio: ['ignore', 'pipe', 'ignore'],
        env: {
          PATH,
          HOME,
          ...TEST_KEYS,
          NODE_ENV: environment,
          PORT: String(port),
          BASE_URL: `http://localhost:${port}`,
          DATABASE_URL: `sqlite:${join(directory, 'dashboard.sqlite')}`,
          AUTH_URL: 'http://127.0.0.1:1',
          OAUTH_CLIENT_ID: 'dashboard',
        },
      });
      const ended = once(child, 'exit');
      try {
        let connection: RawConnection | undefined;
        while (connection === undefined)
          connection = await RawConnection.open(port).catch(
            () => new Promise<undefined>((resolve) => setTimeout(resolve, 100)),
          );
        const ask = async (count: number): Promise<void> => {
          for (let sent = 0; sent < count; sent += 50) {
            connection?.write(head('GET /api/settings').repeat(50));
            for (let index = 0; index < 50; index += 1) assert.equal((await connection?.answer())?.status, 401);
          }
        };
        await ask(1_000);
        const resting = residentBytes(child.pid);
        // Each leaves a line of some 200 bytes: far more than a pipe holds.
        await ask(20_000);
        const growth = residentBytes(child.pid) - resting;
        assert.ok(growth < 64 * MEBIBYTE, `grew by ${Math.round(growth / MEBIBYTE)} MiB`);
        connection.close();
      } finally {
        child.kill('SIGTERM');
      }
      assert.deepEqual(await ended, [0, null]);
      await rm(directory, { recursive: true, force: true });
    });
});

const residentBytes = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
