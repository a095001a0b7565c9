import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEnvironment, keysOf } from '../../server/launcher/environment.ts';
import { Refusal, refusalFor, USAGE } from '../../server/launcher/options.ts';

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

describe("the launcher's help", () => {
  it('has what a start on a port in use refers to', () => {
    const { message = '' } = refusalFor(Object.assign(new Error(), { code: 'EADDRINUSE', port: 3000 })) ?? {};
    for (const name of ['PORT', '--sandbox-ports']) {
      assert.ok(message.includes(name));
      assert.match(USAGE, new RegExp(`(?<!-)${name}\\b`));
    }
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
