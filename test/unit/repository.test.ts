import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { listed, read, root } from '../support/repository-files.ts';

const LONGEST = 300;

describe('the repository', () => {
  const files = listed();
  const sources = files.filter((path) => /^(?:server|client|shared|test)\/.*\.(?:ts|tsx|mjs)$/.test(path));
  const tests = sources.filter((path) => path.startsWith('test/'));
  const texts = files.filter((path) =>
    /\.(?:ts|tsx|mjs|cjs|json|md|yaml|yml|css|html)$|Dockerfile$|^\.ci\//.test(path),
  );

  it('names no registry host in its lock file', () => {
    assert.doesNotMatch(read('package-lock.json'), /"resolved": "http/);
  });

  it('locks the packages of every platform: without one of them a clean install is refused', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const locked = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    assert.deepEqual(
      optional.filter((name) => !locked.has(name)),
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

  it('leaves nothing marked for later', () => {
    const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);
    assert.deepEqual(
      sources.filter((path) => marks.test(read(path))),
      [],
    );
  });

  it('names a release of Node for version managers that the image agrees with', () => {
    const major = read('.nvmrc').trim();
    const image = read('deploy/Dockerfile');
    assert.match(image, new RegExp(`^FROM node:${major}-slim AS build$`, 'm'));
    assert.match(image, new RegExp(`^FROM gcr\\.io/distroless/nodejs${major}-debian12:nonroot$`, 'm'));
  });

  it('runs both tiers in continuous integration, and what differs by Node on every release of it', () => {
    assert.ok(statSync(join(root, '.ci/run')).mode & 0o100);
    assert.match(read('.ci/run'), /\nnpm test\nnpm run test:rest\n$/);
    const workflow = read('.github/workflows/ci.yml');
    assert.match(workflow, /\n {8}node: \[20, 22, 24, 26\]\n/);
    assert.match(workflow, /\n {6}- if: matrix\.node == 24\n {8}run: bash \.ci\/run\n$/);
    assert.match(
      workflow,
      /if: matrix\.node != 24\n {8}run: (?:npm run test:(?:unit|api|contract|client)(?: && |\n)){4}/,
    );
  });
});
