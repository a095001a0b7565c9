import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { TEST_KEYS } from '../support/context.ts';
import { freePort } from '../support/loopback.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { SERVICE_ARGUMENTS, startNode } from '../support/processes.ts';

describe('the started service', () => {
  const inFolder = folderOfSuite();
  let env: Record<string, string>;

  before(async () => {
    const port = await freePort();
    env = {
      ...TEST_KEYS,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: `sqlite:${inFolder('dashboard.sqlite')}`,
      AUTH_URL: 'http://127.0.0.1:9',
      OAUTH_CLIENT_ID: 'dashboard',
    };
  });

  it('exits with 1 in an invalid environment, and names every problem but no value', async () => {
    const service = startNode(SERVICE_ARGUMENTS, {
      NODE_ENV: 'production',
      ENCRYPTION_KEY_PREVIUOS: 'a-misplaced-key',
      DATABASE_URL: 'oracle://secret-host/db',
      OAUTH_CLIENT_ID: 'dashboard',
    });
    assert.equal(await service.ended(), 1);
    const output = service.output();
    for (const problem of [
      'SESSION_SIGNING_KEY is required',
      'DATABASE_URL',
      'ENCRYPTION_KEY_PREVIUOS is not read: did you mean ENCRYPTION_KEY_PREVIOUS?',
      // There is no sandbox in production, so a real OAuth server is required.
      'AUTH_URL is required',
    ])
      assert.ok(output.includes(problem), `${problem} is missing in: ${output}`);
    assert.doesNotMatch(output, /^\s+at |^\{|secret-host|a-misplaced-key/m);
  });

  for (const [NODE_ENV, mode] of [
    ['', 'production'],
    ['test', 'production'],
    ['development', 'development'],
  ] as const)
    it(`runs in ${mode} mode from a build if NODE_ENV is "${NODE_ENV}"`, async () => {
      const changed = { NODE_ENV, BASE_URL: '', DATABASE_URL: '' };
      const doctor = startNode(['dist/server/main.js', 'doctor', '--environment'], { ...env, ...changed });
      await doctor.ended();
      assert.match(doctor.output(), /The environment/);
      const isInProduction = /LOCKED[\s\S]*BASE_URL is required in production/.test(doctor.output());
      assert.equal(isInProduction, mode === 'production', doctor.output());
    });

  it('exits with 1 on an older Node and names the supported releases, before it loads native code', async () => {
    const olderNode = inFolder('older-node.cjs');
    await writeFile(
      olderNode,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
      process.dlopen = () => { throw new Error('loaded'); };`,
    );
    for (const args of [[], ['--version']]) {
      const service = startNode(['--require', olderNode, ...SERVICE_ARGUMENTS, ...args], env);
      assert.equal(await service.ended(), 1);
      assert.equal(service.output(), 'Node ^22.18.0 || ^24.0.0 || >=26.0.0 is required; this is 20.20.2.\n');
    }
  });

  it('logs JSON lines, serves the API and the built app, and exits with 0 on SIGTERM', async () => {
    const service = startNode(SERVICE_ARGUMENTS, env);
    try {
      await service.untilPrinted(/listening/);
      assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/api/health`)).status, 200);
      const page = await fetch(`http://127.0.0.1:${env.PORT}/dashboard`, { headers: { accept: 'text/html' } });
      assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=/);
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
      const asset = await fetch(`http://127.0.0.1:${env.PORT}${script}`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(asset.headers.get('content-encoding'), 'br');
      assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    } finally {
      assert.equal(await service.stop(), 0);
    }
    const lines = service.output().trim().split('\n');
    assert.equal(lines.map((line) => JSON.parse(line).msg).at(-1), 'closed');
  });
});
