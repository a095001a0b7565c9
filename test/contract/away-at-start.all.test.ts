import assert from 'node:assert/strict';
import { TEST_KEYS } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, startNode } from '../support/processes.ts';
import { SERVICE } from '../support/service-program.ts';

const ENVIRONMENT = { ...TEST_KEYS, AUTH_URL: 'http://127.0.0.1:1', OAUTH_CLIENT_ID: 'dashboard', LOG_LEVEL: 'info' };

describe('a start while the database stays away', () => {
  const running: Running[] = [];
  after(() => Promise.all(running.map((process) => process.stop('SIGKILL'))));

  it('waits for half a minute, then exits with 1 and names the variable alone, as commands do', async () => {
    const starts = [SERVICE, [...SERVICE, 'migrate'], ['server/launcher/start.ts', '--no-build']];
    const processes = await Promise.all(
      starts.map(async (program) => {
        const DATABASE_URL = `mysql://ada:secret@127.0.0.1:${await freePort()}/dashboard`;
        const process = startNode(program, { ...ENVIRONMENT, PORT: String(await freePort()), DATABASE_URL });
        running.push(process);
        return process;
      }),
    );
    for (const process of processes) {
      assert.equal(await process.ended(), 1, process.output());
      const lines = process.output().trim().split('\n');
      const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
      assert.deepEqual(
        logged.map(({ level, error }) => [level, error.code]),
        [
          [40, 'ECONNREFUSED'],
          [40, 'ECONNREFUSED'],
        ],
      );
      assert.match(logged[0].msg, /the database is unavailable: waiting for it, at most 30 seconds/);
      assert.equal(
        lines.at(-1),
        'The database was unavailable for 30 seconds (ECONNREFUSED): check DATABASE_URL, and whether its server is running.',
      );
      assert.equal(lines.length, 3, process.output());
      assert.doesNotMatch(process.output(), /ada|secret|127\.0\.0\.1|mysql:/);
    }
  }).timeout(90_000);
});
