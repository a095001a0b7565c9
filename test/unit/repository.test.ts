import assert from 'node:assert/strict';
import { listFiles, readText } from '../support/repository-files.ts';

const MAX_LINES = 400;

describe('the repository', () => {
  const manifest = JSON.parse(readText('package.json'));
  const lock = JSON.parse(readText('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string; optionalDependencies?: Record<string, string> }>;
  };

  it('has a lock file that names no host of a registry', () => {
    assert.doesNotMatch(readText('package-lock.json'), /"resolved": "http/);
  });

  // If one of them is missing, npm refuses a clean installation on its platform.
  it('has a lock file with the optional packages of every platform', () => {
    const locked = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
    const optional = Object.values(lock.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    const missing = optional.filter((name) => !locked.has(name));
    assert.deepEqual(missing, []);
  });

  it('pins every direct dependency to one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest as Record<string, Record<string, string>>;
    const ranges = { ...dependencies, ...devDependencies, ...optionalDependencies };
    const unpinned = Object.entries(ranges).filter(([, range]) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(range));
    assert.deepEqual(unpinned, []);
  });

  it(`has no source file of more than ${MAX_LINES} lines`, () => {
    const sources = listFiles('server', 'client', 'shared', 'test', 'docs').filter((path) =>
      /\.(?:tsx?|mjs)$/.test(path),
    );
    const long = sources.filter((path) => readText(path).trimEnd().split('\n').length > MAX_LINES);
    assert.deepEqual(long, []);
  });

  it('has the same version in package, lock file, changelog, API description, image and chart', () => {
    const { version } = manifest as { version: string };
    assert.deepEqual([lock.version, lock.packages['']?.version], [version, version]);
    const [, latest, date] = /^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$/m.exec(readText('CHANGELOG.md')) ?? [];
    assert.equal(latest, version);
    assert.ok(date);
    assert.equal(JSON.parse(readText('docs/openapi.json')).info.version, version);
    assert.match(readText('deploy/Dockerfile'), new RegExp(`^ARG VERSION=${version.replaceAll('.', '\\.')}$`, 'm'));
    assert.match(readText('deploy/chart/Chart.yaml'), new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'));
  });
});
