import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../../server/config/parse-config.ts';
import { checkEnvironment } from '../../server/launcher/check-environment.ts';
import { keysOf } from '../../server/launcher/keys.ts';
import { startOptions } from '../../server/launcher/options.ts';
import { freePort } from '../../server/launcher/port.ts';
import { notWritable, Refusal } from '../../server/launcher/refusal.ts';

describe("the launcher's arguments", () => {
  it('are optional', () => {
    assert.deepEqual(startOptions([]), {
      deployment: undefined,
      reset: false,
      people: undefined,
      data: 'data',
      sandboxPorts: undefined,
      redactMessages: false,
      requests: false,
      build: true,
      help: false,
    });
  });

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
    '--people many',
    '--people -1',
    '--people 1e3',
    '--sandbox-ports 1,2,3',
    '--sandbox-ports 1,2,3,70000',
    '--sandbox-ports 1,2,3,x',
    '--sandbox-ports 1,2,3,',
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

  it('knows the port of each deployment', () => {
    assert.equal(checkEnvironment({}).config.port, 3000);
    assert.equal(checkEnvironment({ DEPLOYMENT: 'workforce' }).config.port, 4000);
    assert.equal(checkEnvironment({ DEPLOYMENT: 'workforce', PORT: '4001' }).config.port, 4001);
  });

  it('refuses a sandbox in production', () => {
    assert.throws(() => checkEnvironment(PRODUCTION), /does not start in production/);
  });

  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'example.org'])
    it(`refuses a sandbox on ${HOST}`, () => {
      assert.throws(() => checkEnvironment({ HOST }), /loopback/);
    });

  for (const HOST of ['127.0.0.1', '::1', 'localhost'])
    it(`takes a sandbox on ${HOST}`, () => {
      assert.equal(checkEnvironment({ HOST }).config.host, HOST);
    });

  it('supplies no keys in production', () => {
    const auth = { AUTH_URL: 'https://auth.example', OAUTH_CLIENT_ID: 'dashboard' };
    assert.throws(
      () => checkEnvironment({ ...PRODUCTION, ...auth }),
      (error: Error) =>
        error instanceof ConfigurationError && /SESSION_SIGNING_KEY[\s\S]*ENCRYPTION_KEY/.test(error.message),
    );
  });

  it('tells every problem at once', () => {
    assert.throws(
      () => checkEnvironment({ PORT: 'many', DATABASE_URL: 'postgres://x', SESSION_SIGNING_KEY: 'short' }),
      (error: Error) => ['PORT', 'DATABASE_URL', 'SESSION_SIGNING_KEY'].every((name) => error.message.includes(name)),
    );
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

  it('0 is any free one', async () => {
    const port = await freePort('127.0.0.1', 0);
    assert.ok(port > 0);
    assert.equal(await freePort('127.0.0.1', port), port);
  });
});

describe('a file that the user cannot write', () => {
  it('is named, with what to do', () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: 'EACCES', path: '/x' });
    assert.match(notWritable(error)?.message ?? '', /^EACCES: permission denied, open '\/x'\. .*--data FOLDER/);
    assert.equal(notWritable(Object.assign(new Error('no file'), { code: 'ENOENT', path: '/x' })), undefined);
  });
});
