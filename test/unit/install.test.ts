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
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/eventually.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ENGINES = { node: '^22.18.0 || ^24.0.0 || >=26.0.0' };
const OWN_NODE = `node-${process.platform}-${process.arch}`;

/**
 * In npm's place: like npm, it ends with a copy of the lock file in node_modules. The Node that it installs is that of the
 * test. A file `npm-fails` or `npm-hangs` in the project changes what it does.
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

describe('install', () => {
  let project: string;

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'install-'));
    mkdirSync(join(project, 'server/launcher/node'), { recursive: true });
    mkdirSync(join(project, 'server/config'));
    mkdirSync(join(project, 'bin'));
    for (const file of ['server/launcher/install.mjs', 'server/config/supported-node.mjs'])
      copyFileSync(join(ROOT, file), join(project, file));
    writeFileSync(join(project, 'bin/npm'), NPM, { mode: 0o755 });
    const script = `console.log(process.version, process.argv.slice(2).join(' ')); process.exitCode = 3;`;
    writeFileSync(join(project, 'script.mjs'), script);
    writeJson('package.json', { engines: ENGINES });
    writeLock('', 'part', '1.0.0');
    writeLock('server/launcher/node', OWN_NODE, '1.2.3');
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  const writeJson = (path: string, content: unknown): void =>
    writeFileSync(join(project, path), JSON.stringify(content));
  const writeLock = (folder: string, name: string, version: string): void =>
    writeJson(join(folder, 'package-lock.json'), { packages: { [`node_modules/${name}`]: { version } } });
  const leftovers = (): string[] => readdirSync(project).filter((name) => name.startsWith('.install'));

  /** @param release of Node, as if it ran on that */
  function start(
    args: readonly string[] = [],
    release = process.versions.node,
    env: Record<string, string> = {},
  ): ChildProcess {
    const pretended = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${release}' } })`;
    const node = ['--import', `data:text/javascript,${encodeURIComponent(pretended)}`];
    return spawn(process.execPath, [...node, join(project, 'server/launcher/install.mjs'), ...args], {
      cwd: tmpdir(),
      env: {
        ...process.env,
        PROJECT: project,
        PATH: [join(project, 'bin'), process.env['PATH']].join(delimiter),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function outcomeOf(child: ChildProcess): Promise<{ code: number | null; output: string }> {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }
  const install = (args?: readonly string[], release?: string) => outcomeOf(start(args, release));

  it('installs what the lock file says where node_modules is missing, and then does and says nothing', async () => {
    const { code, output } = await install();
    assert.equal(code, 0, output);
    assert.match(output, /^Installing the packages; /);
    assert.deepEqual(await install(), { code: 0, output: '' });
    assert.deepEqual(leftovers(), []);
  });

  it('runs the script in the same process, with its arguments, but not without the packages', async () => {
    const { code, output } = await install(['script.mjs', 'one', '--two']);
    assert.equal(code, 3);
    assert.ok(output.endsWith(`${process.version} one --two\n`), output);
    rmSync(join(project, 'node_modules'), { recursive: true });
    writeFileSync(join(project, 'npm-fails'), '');
    const failed = await install(['script.mjs']);
    assert.equal(failed.code, 1);
    assert.match(failed.output, /npm error of the test\nThe packages could not be installed; .*registry/);
    assert.ok(!failed.output.includes(process.version));
    assert.deepEqual(leftovers(), []);
  });

  it('lends npm a cache where its own cannot be written, and removes it', async () => {
    const program = NPM.replace(
      '\n',
      '\nmkdir -p "$npm_config_cache"; echo "$npm_config_cache" >> "$PROJECT/caches"\n',
    );
    writeFileSync(join(project, 'bin/npm'), program, { mode: 0o755 });
    // Root may write everywhere but below a file.
    const [own, closed] = [join(project, 'cache'), join(project, 'package.json/cache')];
    for (const cache of [own, closed]) {
      rmSync(join(project, 'node_modules'), { recursive: true, force: true });
      assert.equal((await outcomeOf(start([], undefined, { npm_config_cache: cache }))).code, 0);
    }
    const [first, lent = ''] = readFileSync(join(project, 'caches'), 'utf8').split('\n');
    assert.equal(first, own);
    assert.ok(lent !== '' && lent !== closed, lent);
    assert.deepEqual([existsSync(own), existsSync(lent)], [true, false]);
  });

  it('installs once, refuses others until then, and ends npm on a signal, so that the next start can install', async () => {
    writeFileSync(join(project, 'npm-hangs'), '');
    const child = start();
    const outcome = outcomeOf(child);
    await until(() => existsSync(join(project, 'npm-runs')));
    assert.deepEqual(await install(), {
      code: 1,
      output: 'Another process is installing the packages. Try again when it is done.\n',
    });
    assert.equal(readFileSync(join(project, 'npm-runs'), 'utf8'), 'run\n');
    child.kill('SIGTERM');
    assert.equal((await outcome).code, 1);
    assert.deepEqual(leftovers(), []);
  });

  describe('on a Node that is too old', () => {
    it('installs one and runs the script on it, now and after the packages were installed anew', async () => {
      const run = () => install(['script.mjs', 'one'], '20.20.2');
      const first = await run();
      assert.equal(first.code, 3, first.output);
      assert.match(first.output, /^Installing the packages and Node 1\.2\.3 \(this is 20\.20\.2\);/);
      assert.ok(first.output.endsWith(`${process.version} one\n`), first.output);
      assert.deepEqual(await run(), { code: 3, output: `${process.version} one\n` });
      rmSync(join(project, 'node_modules'), { recursive: true });
      assert.match((await run()).output, /^Installing the packages; /);
      // Where npx finds it.
      assert.ok(existsSync(join(project, 'node_modules/.bin/node')));
    });

    it('says in one sentence which is needed where none can be installed', async () => {
      writeLock('server/launcher/node', 'node-plan9-mips', '1.2.3');
      for (const release of ['22.17.1', '25.9.0'])
        assert.deepEqual(await install([], release), {
          code: 1,
          output: `Node ${ENGINES.node} is required and this is ${release}: install one of these.\n`,
        });
      assert.ok(!existsSync(join(project, 'npm-runs')));
      for (const release of ['22.18.0', '27.0.0']) assert.equal((await install([], release)).code, 0, release);
    });
  });
});
