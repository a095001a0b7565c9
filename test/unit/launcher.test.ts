import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEnvironment } from '../../server/launcher/check-environment.ts';
import { keysOf } from '../../server/launcher/keys.ts';
import { startOptions } from '../../server/launcher/options.ts';
import { freePort } from '../../server/launcher/port.ts';
import { Refusal } from '../../server/launcher/refusal.ts';

describe("the launcher's arguments", () => {
  it('name deployment, sandbox and folder', () => {
    const options = startOptions(
      [
        '--deployment workforce --reset --people 100000 --data /var/x --sandbox-ports 1,2,3,0'.split(' '),
        '--redact-messages --no-build'.split(' '),
      ].flat(),
    );
    assert.equal(options.deployment, 'workforce');
    assert.equal(options.reset, true);
    assert.equal(options.people, 100_000);
    assert.equal(options.data, '/var/x');
    assert.deepEqual(options.sandboxPorts, { identityPublic: 1, identityAdmin: 2, oauthPublic: 3, oauthAdmin: 0 });
    assert.equal(options.redactMessages, true);
    assert.equal(options.build, false);
  });

  const REFUSED = [
    '--deployment staff',
    '--deployment',
    '--people -1',
    '--sandbox-ports 1,2,3',
    '--sandbox-ports 1,2,3,70000',
    '--resett',
    'workforce',
  ];
  for (const line of REFUSED)
    it(`refuse ${line}`, () => {
      assert.throws(() => startOptions(line.split(' ')));
    });
});

describe("the launcher's keys", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are made once, for each deployment its own, readable by their owner alone', () => {
    const data = join(folder, 'data');
    const made = keysOf(data, 'customer');
    assert.deepEqual(keysOf(data, 'customer'), made);
    assert.equal(new Set([...Object.values(made), ...Object.values(keysOf(data, 'workforce'))]).size, 4);
    assert.ok(Object.values(made).every((key) => Buffer.byteLength(key) >= 32));
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(data).sort(), ['keys-customer.env', 'keys-workforce.env']);
    for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).mode & 0o777, 0o600);
  });

  it('are never made again over a damaged file', () => {
    const path = join(folder, 'keys-customer.env');
    writeFileSync(path, 'SESSION_SIGNING_KEY=only-this\n');
    assert.throws(() => keysOf(folder, 'customer'), Refusal);
    assert.equal(readFileSync(path, 'utf8'), 'SESSION_SIGNING_KEY=only-this\n');
  });
});

describe("the launcher's first look", () => {
  const PRODUCTION = { NODE_ENV: 'production' };

  it('asks for a sandbox when AUTH_URL is unset', () => {
    assert.equal(checkEnvironment({}).needsSandbox, true);
    const { needsSandbox } = checkEnvironment({ AUTH_URL: 'http://127.0.0.1:4444', OAUTH_CLIENT_ID: 'dashboard' });
    assert.equal(needsSandbox, false);
  });

  it('refuses a sandbox in production', () => {
    assert.throws(() => checkEnvironment(PRODUCTION), /does not start in production/);
  });

  for (const HOST of ['0.0.0.0', '::', '192.168.1.5'])
    it(`refuses a sandbox on ${HOST}`, () => {
      assert.throws(() => checkEnvironment({ HOST }), /loopback/);
    });
});

describe('the port', () => {
  it('that is taken is named, with what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      await assert.rejects(freePort('127.0.0.1', port), (error: Error) => {
        assert.ok(error instanceof Refusal);
        assert.match(error.message, new RegExp(`Port ${port} is in use`));
        return true;
      });
    } finally {
      server.close();
    }
  });
});
