import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TEST_KEYS } from '../support/dashboard.ts';
import { SERVICE } from '../support/processes.ts';

describe('the output of a command', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'command-'));
  });
  after(() => rm(folder, { recursive: true }));

  function run(args: readonly string[], stdout: 'pipe' | number) {
    const { PATH = '', HOME = '' } = process.env;
    return spawn(process.execPath, [...SERVICE, ...args], {
      cwd: new URL('../../', import.meta.url),
      stdio: ['ignore', stdout, 'pipe'],
      env: {
        ...{ PATH, HOME, ...TEST_KEYS },
        NODE_ENV: 'development',
        DATABASE_URL: `sqlite:${join(folder, 'dashboard.sqlite')}`,
        AUTH_URL: 'http://127.0.0.1:1',
        AUTH_IDENTITY_ADMIN_URL: 'http://127.0.0.1:1',
        AUTH_ADMIN_URL: 'http://127.0.0.1:1',
        OAUTH_CLIENT_ID: 'dashboard',
      },
    });
  }

  it('need not be read', async () => {
    const child = run(['setup', '--file', join(folder, 'dashboard.env')], 'pipe');
    child.stdout?.destroy();
    const ended = once(child, 'exit');
    assert.equal(await text(child.stderr as NonNullable<typeof child.stderr>), '');
    assert.deepEqual(await ended, [1, null]);
  });

  it('must fit where it is stored', async () => {
    const child = run(['migrate'], openSync('/dev/full', 'w'));
    const ended = once(child, 'exit');
    assert.equal(
      await text(child.stderr as NonNullable<typeof child.stderr>),
      'ENOSPC: no space left on device, write\n',
    );
    assert.deepEqual(await ended, [1, null]);
  });
});
