import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import serviceBuild from '../../server/vite.config.ts';
import { freePort } from '../support/free-port.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPT = join(ROOT, 'server/launcher/install.mjs');

interface Outcome {
  code: number | null;
  output: string;
}

describe('install', () => {
  let project: string;

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'install-'));
    mkdirSync(join(project, 'server', 'launcher'), { recursive: true });
    copyFileSync(SCRIPT, join(project, 'server', 'launcher', 'install.mjs'));
    writePackages('1.0.0');
  });

  afterEach(() => rmSync(project, { recursive: true, force: true }));

  /** A project whose only package lies in the project itself, so that npm needs no registry. */
  function writePackages(version: string): void {
    const own = { name: 'project', version: '1.0.0', dependencies: { part: 'file:part' } };
    mkdirSync(join(project, 'part'), { recursive: true });
    writeJson('package.json', { ...own, engines: { node: '>=20.19' } });
    writeJson('part/package.json', { name: 'part', version });
    writeJson('package-lock.json', {
      ...own,
      lockfileVersion: 3,
      requires: true,
      packages: { '': own, 'node_modules/part': { resolved: 'part', link: true }, part: { version } },
    });
  }

  function writeJson(path: string, content: unknown): void {
    writeFileSync(join(project, path), JSON.stringify(content));
  }

  /** A second package, which only a registry at that port of this machine has. */
  function requireFrom(port: number): void {
    const own = { name: 'project', version: '1.0.0', dependencies: { other: '1.0.0' } };
    const other = { version: '1.0.0', resolved: `http://127.0.0.1:${port}/other.tgz` };
    writeJson('package.json', { ...own, engines: { node: '>=20.19' } });
    writeJson('package-lock.json', {
      ...own,
      lockfileVersion: 3,
      requires: true,
      packages: { '': own, 'node_modules/other': other },
    });
    writeFileSync(join(project, '.npmrc'), `cache=${join(project, 'cache')}\nfetch-retries=0\n`);
  }

  function start(...nodeArgs: string[]): ChildProcess {
    return spawn(process.execPath, [...nodeArgs, join(project, 'server', 'launcher', 'install.mjs')], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function outcomeOf(child: ChildProcess): Promise<Outcome> {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }
  /** As if it ran on another release. */
  const on = (release: string): string[] => {
    const told = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${release}' } })`;
    return ['--import', `data:text/javascript,${encodeURIComponent(told)}`];
  };
  const install = (...nodeArgs: string[]) => outcomeOf(start(...nodeArgs));

  it('installs what the lock file says where node_modules is missing, and says so', async () => {
    const { code, output } = await install();
    assert.equal(code, 0, output);
    assert.match(output, /Installing the packages \(node_modules is missing/);
    assert.ok(existsSync(join(project, 'node_modules', 'part', 'package.json')));
    assert.deepEqual(leftovers(), []);
  });

  it('does and says nothing when everything is there', async () => {
    await install();
    assert.deepEqual(await install(), { code: 0, output: '' });
  });

  it('installs again when the lock file names another version', async () => {
    await install();
    writePackages('1.0.1');
    const { code, output } = await install();
    assert.equal(code, 0, output);
    assert.match(output, /node_modules differs from package-lock\.json/);
    assert.equal((await install()).output, '');
  });

  it('installs again after an installation that did not end', async () => {
    await install();
    rmSync(join(project, 'node_modules', '.package-lock.json'));
    assert.match((await install()).output, /missing or incomplete/);
  });

  it('installs again when a compiled package is for another Node, where one is compiled', async () => {
    await install();
    for (const path of ['package-lock.json', 'node_modules/.package-lock.json']) {
      const lock = JSON.parse(readFileSync(join(project, path), 'utf8')) as { packages: Record<string, unknown> };
      lock.packages['node_modules/better-sqlite3'] = { version: '1.0.0', optional: true };
      writeJson(path, lock);
    }
    assert.match((await install(...on('20.19.0'))).output, /compiled for another Node than v\d/);
    writeJson('node_modules/.package-lock.json', JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')));
    for (const release of ['22.12.0', '24.0.0']) assert.equal((await install(...on(release))).output, '');
  });

  it('installs again when what this Node needs was left out by an older one', async () => {
    await install();
    const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as { packages: object };
    Object.assign(lock.packages, { 'node_modules/better-sqlite3-13': { version: '1.0.0', optional: true } });
    writeJson('package-lock.json', lock);
    const { output } = await install(...on('22.1.0'));
    assert.match(output, /Installing the packages .*another Node than/);
  });

  it('runs the scripts of no package but the driver that this Node has to compile, and goes on without it', async () => {
    const script = (name: string, end = 0) =>
      writeJson(`${name}/package.json`, {
        name,
        version: '1.0.0',
        scripts: { install: `node -e "fs.writeFileSync('ran', ''); process.exit(${end})"` },
      });
    const own = {
      name: 'project',
      version: '1.0.0',
      dependencies: { part: 'file:part' },
      optionalDependencies: { 'better-sqlite3': 'file:better-sqlite3' },
    };
    mkdirSync(join(project, 'better-sqlite3'));
    for (const name of ['part', 'better-sqlite3']) script(name);
    writeJson('package.json', { ...own, engines: { node: '>=20.19' } });
    const link = (resolved: string) => ({ resolved, link: true });
    writeJson('package-lock.json', {
      ...own,
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': own,
        'node_modules/part': link('part'),
        part: { version: '1.0.0', hasInstallScript: true },
        'node_modules/better-sqlite3': { ...link('better-sqlite3'), optional: true },
        'better-sqlite3': { version: '1.0.0', optional: true, hasInstallScript: true },
      },
    });
    const ran = (name: string) => existsSync(join(project, name, 'ran'));
    assert.equal((await install(...on('22.12.0'))).code, 0);
    assert.deepEqual([ran('part'), ran('better-sqlite3')], [false, false]);
    const { code, output } = await install(...on('20.19.0'));
    assert.equal(code, 0, output);
    assert.deepEqual([ran('part'), ran('better-sqlite3')], [false, true]);
    writeJson('better-sqlite3/package.json', {
      name: 'better-sqlite3',
      version: '1.0.0',
      scripts: { install: `node -e "process.kill(${process.pid}, 'SIGUSR2'); setTimeout(() => {}, 20000)"` },
    });
    const compiling = once(process, 'SIGUSR2');
    const stopped = start(...on('20.19.0'));
    const outcome = outcomeOf(stopped);
    await compiling;
    stopped.kill('SIGTERM');
    assert.equal((await outcome).code, 1);
    script('better-sqlite3', 1);
    const failed = await install(...on('20.19.0'));
    assert.equal(failed.code, 0);
    assert.match(failed.output, /better-sqlite3 could not be compiled, so there is no SQLite;/);
  });

  it('passes on what npm has against the lock file, says that nothing was installed, and fails', async () => {
    writeJson('package-lock.json', { lockfileVersion: 3, packages: {} });
    const { code, output } = await install();
    assert.equal(code, 1);
    assert.match(output, /npm error.*package-lock\.json.*\nThe packages could not be installed;/s);
    assert.deepEqual(leftovers(), []);
  });

  it('names the registry where npm cannot reach it', async () => {
    requireFrom(await freePort());
    const { code, output } = await install();
    assert.equal(code, 1);
    assert.match(output, /ECONNREFUSED.*\nThe packages could not be installed; .*registry/s);
    assert.deepEqual(leftovers(), []);
  });

  it('installs once where several start together, and refuses the others in words', async () => {
    const outcomes = await Promise.all([install(), install(), install()]);
    assert.equal(outcomes.filter(({ output }) => output.includes('Packages installed')).length, 1);
    for (const { code, output } of outcomes) {
      if (code !== 0) assert.match(output, /^Another process is installing the packages. Try again when it is done\./);
    }
    assert.deepEqual(await install(), { code: 0, output: '' });
    assert.deepEqual(leftovers(), []);
  });

  it('names the file to remove after an installation that was killed, and leaves it to its reader', async () => {
    writeFileSync(join(project, '.install-lock'), '');
    const { code, output } = await install();
    assert.equal(code, 1);
    assert.ok(output.includes(`remove ${join(project, '.install-lock')} first.`), output);
    assert.ok(!existsSync(join(project, 'node_modules')));
    rmSync(join(project, '.install-lock'));
    assert.equal((await install()).code, 0);
  });

  it('waits on a signal until npm has ended, so that the next start can install', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      requireFrom((silent.address() as AddressInfo).port);
      const child = start();
      const outcome = outcomeOf(child);
      const [asked] = (await once(silent, 'connection')) as [Socket];
      assert.deepEqual(leftovers(), ['.install-lock']);
      child.kill('SIGTERM');
      asked.destroy();
      assert.equal((await outcome).code, 1);
      assert.deepEqual(leftovers(), []);
    } finally {
      silent.close();
    }
  });

  it('may leave out the driver: the service is built without looking at it', () => {
    const external = serviceBuild.build?.rolldownOptions?.external as readonly RegExp[];
    // As Knex imports it.
    assert.ok(external.some((pattern) => pattern.test('better-sqlite3')));
  });

  it('refuses a Node that is too old in one line', async () => {
    const { code, output } = await install(...on('20.18.3'));
    assert.equal(code, 1);
    assert.equal(output, 'Node 20.19 or newer is required; this is 20.18.3.\n');
    assert.ok(!existsSync(join(project, 'node_modules')));
  });

  const leftovers = () => readdirSync(project).filter((name) => name.startsWith('.install'));
});
