import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { until } from '../support/eventually.ts';
import { folderOfTest } from '../support/of-suite.ts';
import { startProgram } from '../support/processes.ts';
import { root } from '../support/repository-files.ts';

const ENGINES = { node: '^22.18.0 || ^24.0.0 || >=26.0.0' };
const OWN_NODE = `node-${process.platform}-${process.arch}`;

/**
 * Replaces npm: it copies the lock file to node_modules as npm does, and installs the Node of the test. With a file
 * `npm-fails` or `npm-hangs` in the project, it fails or hangs.
 */
const NPM = `#!/bin/sh
echo run >> "$PROJECT/npm-runs"
if [ -e "$PROJECT/npm-hangs" ]; then exec sleep 600; fi
if [ -e "$PROJECT/npm-fails" ]; then echo "npm error of the test" >&2; exit 1; fi
mkdir -p node_modules
if grep -q ${OWN_NODE} package-lock.json; then
  mkdir -p node_modules/${OWN_NODE}/bin
  ln -sf "${process.execPath}" node_modules/${OWN_NODE}/bin/node
fi
cp package-lock.json node_modules/.package-lock.json
`;

describe('install.mjs', () => {
  const inProject = folderOfTest();

  beforeEach(() => {
    mkdirSync(inProject('server/launcher/node'), { recursive: true });
    mkdirSync(inProject('server/config'));
    mkdirSync(inProject('bin'));
    for (const file of ['server/launcher/install.mjs', 'server/config/supported-node.mjs'])
      copyFileSync(join(root, file), inProject(file));
    writeFileSync(inProject('bin/npm'), NPM, { mode: 0o755 });
    const script = `console.log(process.version, process.argv.slice(2).join(' ')); process.exitCode = 3;`;
    writeFileSync(inProject('script.mjs'), script);
    writeJson('package.json', { engines: ENGINES });
    writeLock('', 'part', '1.0.0');
    writeLock('server/launcher/node', OWN_NODE, '1.2.3');
  });

  const writeJson = (path: string, content: unknown): void => writeFileSync(inProject(path), JSON.stringify(content));
  const writeLock = (folder: string, name: string, version: string): void =>
    writeJson(join(folder, 'package-lock.json'), { packages: { [`node_modules/${name}`]: { version } } });
  const leftovers = (): string[] => readdirSync(inProject()).filter((name) => name.startsWith('.install'));

  /** @param release the release of Node that the process takes for its own */
  function start(args: readonly string[] = [], release = process.versions.node, env: Record<string, string> = {}) {
    const changeRelease = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${release}' } })`;
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(changeRelease)}`];
    const PATH = [inProject('bin'), process.env['PATH']].join(delimiter);
    const program = [...nodeArgs, inProject('server/launcher/install.mjs'), ...args];
    return startProgram(process.execPath, program, { PATH, PROJECT: inProject(), ...env }, tmpdir());
  }
  async function install(...options: Parameters<typeof start>): Promise<{ code: number | null; output: string }> {
    const running = start(...options);
    return { code: await running.ended(), output: running.output() };
  }

  it('installs the locked packages if node_modules is missing, and otherwise prints nothing', async () => {
    const { code, output } = await install();
    assert.equal(code, 0, output);
    assert.match(output, /^Installing the packages; /);
    assert.deepEqual(await install(), { code: 0, output: '' });
    assert.deepEqual(leftovers(), []);
  });

  it('runs a script with its arguments, unless the packages cannot be installed', async () => {
    const { code, output } = await install(['script.mjs', 'one', '--two']);
    assert.equal(code, 3);
    assert.ok(output.endsWith(`${process.version} one --two\n`), output);
    rmSync(inProject('node_modules'), { recursive: true });
    writeFileSync(inProject('npm-fails'), '');
    const failed = await install(['script.mjs']);
    assert.equal(failed.code, 1);
    assert.match(failed.output, /npm error of the test\nThe packages could not be installed; .*registry/);
    assert.ok(!failed.output.includes(process.version));
    assert.deepEqual(leftovers(), []);
  });

  it('gives npm a temporary cache if the configured one cannot be written', async () => {
    const program = NPM.replace(
      '\n',
      '\nmkdir -p "$npm_config_cache"; echo "$npm_config_cache" >> "$PROJECT/caches"\n',
    );
    writeFileSync(inProject('bin/npm'), program, { mode: 0o755 });
    // Root can write everywhere except below a file.
    const [writable, unwritable] = [inProject('cache'), inProject('package.json/cache')];
    for (const cache of [writable, unwritable]) {
      rmSync(inProject('node_modules'), { recursive: true, force: true });
      assert.equal((await install([], undefined, { npm_config_cache: cache })).code, 0);
    }
    const [first, temporary = ''] = readFileSync(inProject('caches'), 'utf8').split('\n');
    assert.equal(first, writable);
    assert.ok(temporary !== '' && temporary !== unwritable, temporary);
    assert.deepEqual([existsSync(writable), existsSync(temporary)], [true, false]);
  });

  it('rejects a concurrent installation, and stops npm and removes its temporary files on a signal', async () => {
    writeFileSync(inProject('npm-hangs'), '');
    const first = start();
    await until(() => existsSync(inProject('npm-runs')));
    assert.deepEqual(await install(), {
      code: 1,
      output: 'Another process is installing the packages. Try again when it is done.\n',
    });
    assert.equal(readFileSync(inProject('npm-runs'), 'utf8'), 'run\n');
    assert.equal(await first.stop('SIGTERM'), 1);
    assert.deepEqual(leftovers(), []);
  });

  describe('on an unsupported Node', () => {
    it('installs a supported Node and runs the script with it, also after the packages were removed', async () => {
      const run = () => install(['script.mjs', 'one'], '20.20.2');
      const first = await run();
      assert.equal(first.code, 3, first.output);
      assert.match(first.output, /^Installing the packages and Node 1\.2\.3 \(this is 20\.20\.2\);/);
      assert.ok(first.output.endsWith(`${process.version} one\n`), first.output);
      assert.deepEqual(await run(), { code: 3, output: `${process.version} one\n` });
      rmSync(inProject('node_modules'), { recursive: true });
      assert.match((await run()).output, /^Installing the packages; /);
      // npx looks for Node there.
      assert.ok(existsSync(inProject('node_modules/.bin/node')));
    });

    it('names the supported releases if none can be installed for the platform, and does not run npm', async () => {
      writeLock('server/launcher/node', 'node-plan9-mips', '1.2.3');
      for (const release of ['22.17.1', '25.9.0'])
        assert.deepEqual(await install([], release), {
          code: 1,
          output: `Node ${ENGINES.node} is required and this is ${release}: install one of these.\n`,
        });
      assert.ok(!existsSync(inProject('npm-runs')));
      for (const release of ['22.18.0', '27.0.0']) assert.equal((await install([], release)).code, 0, release);
    });
  });
});
