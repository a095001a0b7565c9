import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from '../../server/sandbox/start-sandbox.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, startNode } from '../support/processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const compiled = join(root, 'dist', 'server');

describe('the production form', () => {
  let data: string;
  let sandbox: Sandbox;
  let env: Record<string, string>;
  let url: string;
  const running: Running[] = [];

  before(async () => {
    assert.ok(existsSync(join(compiled, 'main.js')), 'dist/server is missing: npm run build');
    data = mkdtempSync(join(tmpdir(), 'production-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const dashboardUrl = `http://localhost:${port}`;
    const ports = { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 };
    sandbox = await startSandbox({
      deployment: 'customer',
      dataDirectory: data,
      dashboardUrl,
      production: false,
      people: 0,
      ports,
    });
    env = {
      ...TEST_KEYS,
      ...sandbox.environment,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: dashboardUrl,
      DATABASE_URL: `sqlite:${join(data, 'dashboard.sqlite')}`,
    };
  });
  after(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    await sandbox.close();
    rmSync(data, { recursive: true, force: true });
  });

  function main(args: readonly string[] = [], environment = env): Running {
    const process = startNode(['dist/server/main.js', ...args], environment);
    running.push(process);
    return process;
  }

  it('serves the API and the built app, and ends on SIGTERM', async () => {
    const process = main();
    await answers(process);
    const page = await fetch(`${url}/settings`, { headers: { accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(page.headers.get('strict-transport-security') ?? '', /max-age/);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
    const asset = await fetch(`${url}${script}`, { headers: { 'accept-encoding': 'br' } });
    assert.equal(asset.status, 200);
    assert.equal(asset.headers.get('content-encoding'), 'br');
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    assert.equal(await process.stop(), 0);
  });

  it('holds neither sandbox nor launcher, and no package of development', () => {
    const files = readdirSync(compiled).filter((name) => name.endsWith('.js'));
    const sources = files.flatMap((name) => {
      const map = join(compiled, `${name}.map`);
      return existsSync(map) ? (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources : [];
    });
    assert.ok(sources.some((source) => source.endsWith('server/app.ts')));
    assert.deepEqual(
      sources.filter((source) => /server\/(?:sandbox|launcher)\//.test(source)),
      [],
    );
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const bundled = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
    assert.ok(bundled.includes('express'));
    assert.deepEqual(
      bundled.filter((name) => name !== undefined && name in devDependencies),
      [],
    );
    const imported = files.flatMap((name) => [
      ...readFileSync(join(compiled, name), 'utf8').matchAll(/^(?:import|export)\b.*?from ["']([^.][^"']*)["']/gm),
    ]);
    assert.deepEqual(
      imported.map((match) => match[1] ?? '').filter((name) => !isBuiltin(name) && name !== 'better-sqlite3'),
      [],
    );
  });

  it('lets other services import the settings reader by the package name', async () => {
    const script =
      "import { createSettingsReader } from 'dashboard-admin/settings-reader';" +
      'const reader = createSettingsReader({ databaseUrl: process.env.DATABASE_URL, encryptionKeys: [process.env.ENCRYPTION_KEY] });' +
      "console.log('read', await reader.get('nothing.stored')); await reader.close();";
    const process = startNode(['--input-type=module', '--eval', script], env);
    running.push(process);
    assert.equal(await process.ended(), 0, process.output());
    assert.match(process.output(), /read undefined/);
  });

  /** Waits until health is 200; in production nothing is printed at once, since logs are buffered. */
  async function answers(process: Running): Promise<void> {
    let over = false;
    void process.ended().then(() => {
      over = true;
    });
    while (!over) {
      const health = await fetch(`${url}/api/health`).catch(() => undefined);
      if (health?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(process.output());
  }
});
