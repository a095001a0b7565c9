import assert from 'node:assert/strict';
import { listed, read } from '../support/repository-files.ts';

const LONGEST = 400;

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
      'test/support/tools.ts',
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
});
