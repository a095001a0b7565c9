import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_KEYS } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { SERVICE } from '../support/processes.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';

/** A shutdown may take so long, whatever hangs. */
const SHUTDOWN_MS = 10_000;
const READY_MS = 60_000;

describe('a log', () => {
  for (const [what, output] of [
    ['that nobody reads', 'pipe'],
    ['on a full disk', '/dev/full'],
  ] as const)
    it(`${what} stops neither requests nor the end of the process`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'service-'));
      const port = await freePort();
      const { PATH = '', HOME = '' } = process.env;
      const child = spawn(process.execPath, SERVICE, {
        cwd: new URL('../../', import.meta.url),
        // Nothing ever reads what it prints to a pipe.
        stdio: ['ignore', output === 'pipe' ? output : openSync(output, 'w'), 'ignore'],
        env: {
          PATH,
          HOME,
          ...TEST_KEYS,
          NODE_ENV: 'production',
          PORT: String(port),
          BASE_URL: `http://localhost:${port}`,
          DATABASE_URL: `sqlite:${join(directory, 'dashboard.sqlite')}`,
          AUTH_URL: 'http://127.0.0.1:1',
          OAUTH_CLIENT_ID: 'dashboard',
        },
      });
      const ended = once(child, 'exit');
      try {
        const ready = (): Promise<number | undefined> =>
          sendRaw(port, head('GET /api/health?probe=ready')).then(
            ({ status }) => status,
            () => undefined,
          );
        await eventually(ready, 200, undefined, READY_MS);
        const connection = await RawConnection.open(port);
        const send = async (count: number): Promise<void> => {
          for (let sent = 0; sent < count; sent += 50) {
            connection.write(head('GET /api/settings').repeat(50));
            for (let index = 0; index < 50; index += 1) assert.equal((await connection.response()).status, 401);
          }
        };
        // Each leaves a line of some 200 bytes: far more than a pipe holds.
        await send(2_000);
        connection.close();
      } finally {
        child.kill('SIGTERM');
      }
      const killing = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_MS);
      assert.deepEqual(await ended, [0, null]);
      clearTimeout(killing);
      await rm(directory, { recursive: true, force: true });
    }).timeout(6 * SHUTDOWN_MS);
});
