import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENGINES = { node: '^22.18.0 || ^24.0.0 || >=26.0.0' };

interface Outcome {
  code: number | null;
  output: string;
}

describe('install', () => {
  let project: string;

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'install-'));
    mkdirSync(join(project, 'server', 'launcher'), { recursive: true });
    mkdirSync(join(project, 'server', 'config'));
    for (const file of ['server/launcher/install.mjs', 'server/config/supported-node.mjs'])
      copyFileSync(join(ROOT, file), join(project, file));
    writePackages('1.0.0');
  });

  afterEach(() => rmSync(project, { recursive: true, force: true }));

  /** A project whose only package lies in the project itself, so that npm needs no registry. */
  function writePackages(version: string): void {
    const own = { name: 'project', version: '1.0.0', dependencies: { part: 'file:part' } };
    mkdirSync(join(project, 'part'), { recursive: true });
    writeJson('package.json', { ...own, engines: ENGINES });
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
    writeJson('package.json', { ...own, engines: ENGINES });
    writeJson('package-lock.json', {
      ...own,
      lockfileVersion: 3,
      requires: true,
      packages: { '': own, 'node_modules/other': other },
    });
    writeFileSync(join(project, '.npmrc'), `cache=${join(project, 'cache')}\nfetch-retries=0\n`);
  }

  function writeScript(): void {
    const script = `console.log(process.version, process.argv.slice(2).join(' ')); process.exitCode = 3;`;
    writeFileSync(join(project, 'script.mjs'), script);
  }

  function start(nodeArgs: readonly string[] = [], ...args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [...nodeArgs, join(project, 'server', 'launcher', 'install.mjs'), ...args], {
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
  const install = (...nodeArgs: string[]) => outcomeOf(start(nodeArgs));

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
    assert.equal(outcomes.filter(({ output }) => output.includes('Installed in')).length, 1);
    for (const { code, output } of outcomes) {
      if (code !== 0) assert.match(output, /^Another process is installing the packages. Try again when it is done\./);
    }
    assert.deepEqual(await install(), { code: 0, output: '' });
    assert.deepEqual(leftovers(), []);
  });

  it('waits for nobody after an installation that was killed', async () => {
    const killed = spawn(process.execPath, ['-e', '']);
    await once(killed, 'exit');
    writeFileSync(join(project, '.install-lock'), String(killed.pid));
    const { code, output } = await install();
    assert.equal(code, 0, output);
    assert.deepEqual(leftovers(), []);
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

  it('runs the script in the same process, with its arguments', async () => {
    writeScript();
    const { code, output } = await outcomeOf(start([], 'script.mjs', 'one', '--two'));
    assert.equal(code, 3);
    assert.ok(output.endsWith(`${process.version} one --two\n`), output);
  });

  it('does not run the script when the packages could not be installed', async () => {
    writeScript();
    writeJson('package-lock.json', { lockfileVersion: 3, packages: {} });
    const { code, output } = await outcomeOf(start([], 'script.mjs'));
    assert.equal(code, 1);
    assert.doesNotMatch(output, new RegExp(process.version));
  });

  describe('on a Node that is too old', () => {
    const OWN = `node-${process.platform}-${process.arch}`;
    const folder = 'server/launcher/node';

    /** The Node of the test stands for the one that is installed. */
    function writeOwnNode(name = OWN): void {
      const own = { name: 'node', optionalDependencies: { [name]: 'file:own.tgz' } };
      mkdirSync(join(project, folder, 'package', 'bin'), { recursive: true });
      const program = `#!/bin/sh\nexec ${process.execPath} "$@"\n`;
      writeFileSync(join(project, folder, 'package', 'bin', 'node'), program, { mode: 0o755 });
      writeJson(`${folder}/package/package.json`, { name, version: '1.2.3', bin: { node: 'bin/node' } });
      execFileSync('tar', ['czf', 'own.tgz', 'package'], { cwd: join(project, folder) });
      writeJson(`${folder}/package.json`, own);
      writeJson(`${folder}/package-lock.json`, {
        ...own,
        lockfileVersion: 3,
        requires: true,
        packages: { '': own, [`node_modules/${name}`]: { version: '1.2.3', resolved: 'file:own.tgz', optional: true } },
      });
    }

    it('installs one and runs the script on it, now and after the packages were installed anew', async () => {
      writeOwnNode();
      writeScript();
      const run = () => outcomeOf(start(on('20.20.2'), 'script.mjs', 'one'));
      const first = await run();
      assert.equal(first.code, 3, first.output);
      assert.match(first.output, /^Installing the packages \(.*\) and Node 1\.2\.3 \(this is 20\.20\.2\);/);
      assert.ok(first.output.endsWith(`${process.version} one\n`), first.output);
      assert.deepEqual(await run(), { code: 3, output: `${process.version} one\n` });
      rmSync(join(project, 'node_modules'), { recursive: true });
      assert.match((await run()).output, /^Installing the packages \([^)]*\); /);
      // Where npx finds it.
      assert.ok(existsSync(join(project, 'node_modules/.bin/node')));
    });

    it('says so when it cannot be installed, and tries again', async () => {
      writeOwnNode();
      rmSync(join(project, folder, 'own.tgz'));
      for (const _ of ['first', 'again']) {
        const { code, output } = await install(...on('20.20.2'));
        assert.equal(code, 1);
        assert.match(output, /Node 1\.2\.3[\s\S]*\nThe packages could not be installed; /);
      }
    });

    it('passes a signal on to the script', async () => {
      writeOwnNode();
      await install(...on('20.20.2'));
      writeFileSync(
        join(project, 'script.mjs'),
        `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('ready');`,
      );
      const child = start(on('20.20.2'), 'script.mjs');
      child.stdout?.once('data', () => child.kill('SIGTERM'));
      assert.deepEqual(await outcomeOf(child), { code: 7, output: 'ready\n' });
    });

    it('says in one sentence which is needed where none can be installed', async () => {
      writeOwnNode('node-plan9-mips');
      for (const release of ['20.20.2', '22.17.1', '23.11.0', '25.9.0']) {
        const { code, output } = await install(...on(release));
        assert.equal(code, 1);
        assert.equal(output, `Node ${ENGINES.node} is required and this is ${release}: install one of these.\n`);
      }
      assert.ok(!existsSync(join(project, 'node_modules')));
      for (const release of ['22.18.0', '24.0.0', '26.10.0', '27.0.0'])
        assert.equal((await install(...on(release))).code, 0, release);
    });
  });

  const leftovers = () => readdirSync(project).filter((name) => name.startsWith('.install'));
});
