import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GROUPS } from '../run/files.ts';
import { listed, read, root } from '../support/repository-files.ts';

const TOP_LEVEL = [
  'server',
  'client',
  'shared',
  'test',
  'knexfile.ts',
  'package.json',
  'tsconfig.base.json',
  'vite.config.ts',
  // The lock file, tools' own configuration, and what a deployment starts from.
  'package-lock.json',
  'biome.json',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
  'deploy',
  '.ci',
  '.github',
  '.dockerignore',
  '.editorconfig',
  '.gitignore',
  '.mocharc.cjs',
  '.npmrc',
  '.nvmrc',
];
/** Three screens of fifty lines. */
const README_LONGEST = 150;
const LONGEST = 300;

describe('the repository', () => {
  const files = listed();
  const sources = files.filter((path) => /^(?:server|client|shared|test)\/.*\.(?:ts|tsx|mjs)$/.test(path));
  const tests = sources.filter((path) => path.startsWith('test/'));
  const texts = files.filter((path) =>
    /\.(?:ts|tsx|mjs|cjs|json|md|yaml|yml|css|html)$|Dockerfile$|^\.ci\//.test(path),
  );

  it('has nothing at its top level but what the layout names', () => {
    const entries = new Set(files.map((path) => path.split('/')[0] ?? ''));
    assert.deepEqual(
      [...entries].filter((entry) => !TOP_LEVEL.includes(entry)),
      [],
    );
  });

  it('names no registry host in its lock file', () => {
    assert.doesNotMatch(read('package-lock.json'), /"resolved": "http/);
  });

  // npm warns of each package that is no optional one and does not fit the Node it runs on.
  it('installs without a warning on this Node, as on every one that it promises', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'install-'));
    try {
      for (const file of ['package.json', 'package-lock.json', '.npmrc'])
        copyFileSync(join(root, file), join(folder, file));
      const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--loglevel=warn'];
      const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stderr, /EBADENGINE/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('locks the packages of every platform: without one of them a clean install is refused', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    assert.deepEqual(
      wanted.filter((name) => !locked.has(name)),
      [],
    );
  });

  it('pins every package to one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, range]) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(range),
    );
    assert.deepEqual(loose, []);
  });

  it('holds no path of the machine it was made on', () => {
    const path = /(?:^|[^\w.-])\/(?:work|root|home\/\w+|Users\/\w+|tmp\/\w+)\//m;
    const named = texts.filter((file) => file !== 'package-lock.json' && path.test(read(file)));
    assert.deepEqual(named, []);
  });

  // What is looked for is a path that code opens or imports: the lint rules' tests quote others as text.
  it('reads nothing outside of itself in its tests', () => {
    const opened = /(?:\bfrom|\bimport\(?|\bnew URL\(|\bimport\.meta\.(?:dirname|filename),)\s*(['"`])(\.[^'"`]*)\1/g;
    const outside = tests.flatMap((path) =>
      [...read(path).matchAll(opened)]
        .filter(([, , target = '']) => join(dirname(path), target).startsWith('..'))
        .map(([, , target]) => `${path}: ${target}`),
    );
    const beside = /\bshared\/(?:contract|corpus|design|facts|spec)\b/;
    const named = texts.filter((path) => path.startsWith('test/') && beside.test(read(path)));
    assert.deepEqual([...outside, ...named], []);
  });

  it('skips no test but for a missing tool', () => {
    const mayLackTool = [
      'test/support/browser.ts',
      'test/support/cluster.ts',
      'test/support/databases.ts',
      'test/support/nginx.ts',
    ];
    const skipping = /\.skip\(\)|\bit\(\s*(['"`])(?:(?!\1).)*\1,?\s*\)/;
    assert.deepEqual(
      tests.filter((path) => !mayLackTool.includes(path) && skipping.test(read(path))),
      [],
    );
  });

  it(`has no source file of more than ${LONGEST} lines`, () => {
    const long = sources.filter((path) => read(path).trimEnd().split('\n').length > LONGEST);
    assert.deepEqual(long, []);
  });

  it('has no file or folder with a meaningless name', () => {
    const empty = /(?:^|\/)(?:utils?|helpers?|common|misc|types)(?:\/|\.tsx?$)/;
    assert.deepEqual(
      files.filter((path) => empty.test(path)),
      [],
    );
  });

  it('cites no section of a text that is neither here nor public', () => {
    const cited = sources.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => /\bsections? \d/i.test(line) && !/RFC|OpenID|NIST/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    assert.deepEqual(cited, []);
  });

  it('leaves nothing marked for later', () => {
    const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);
    assert.deepEqual(
      sources.filter((path) => marks.test(read(path))),
      [],
    );
  });

  it('has a README of three screens', () => {
    assert.ok(read('README.md').split('\n').length <= README_LONGEST);
  });

  it('names a release of Node for version managers that the image agrees with', () => {
    const major = read('.nvmrc').trim();
    const image = read('deploy/Dockerfile');
    assert.match(image, new RegExp(`^FROM node:${major}-slim AS build$`, 'm'));
    assert.match(image, new RegExp(`^FROM gcr\\.io/distroless/nodejs${major}-debian12:nonroot$`, 'm'));
  });

  // One with JSX, which tsx gets wrong without the tests' tsconfig.
  it('runs one test file by mocha alone', () => {
    const env = { ...process.env, TSX_TSCONFIG_PATH: undefined, NODE_OPTIONS: undefined };
    const command = ['node_modules/mocha/bin/mocha.js', 'test/client/lazy-page.test.tsx'];
    assert.match(execFileSync(process.execPath, command, { cwd: root, encoding: 'utf8', env }), /\d+ passing/);
  }).timeout(120_000);

  it('runs the same tests in continuous integration as by hand, in the browser and on a cluster on one release of Node', () => {
    assert.ok(statSync(join(root, '.ci/run')).mode & 0o100);
    assert.equal(read('.ci/run').trim().split('\n').at(-1), 'npm test');
    const workflow = read('.github/workflows/ci.yml');
    assert.match(workflow, /\n {8}node: \[20, 22, 24, 26\]\n/);
    assert.match(workflow, /\n {6}- if: matrix\.node == 24\n {8}run: bash \.ci\/run\n$/);
    const groups = GROUPS.filter((group) => group !== 'e2e' && group !== 'cluster').join(' ');
    assert.ok(workflow.includes(`\n      - if: matrix.node != 24\n        run: npm test -- ${groups}\n`));
  });
});
