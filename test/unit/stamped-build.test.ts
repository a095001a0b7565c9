import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Build, buildWhenStale } from '../../server/launcher/stamped-build.ts';

describe('a stamped build', () => {
  let root: string;
  let builds: number;
  let build: Build;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'build-'));
    mkdirSync(join(root, 'source', 'deep'), { recursive: true });
    writeFileSync(join(root, 'source', 'deep', 'a.ts'), 'one');
    writeFileSync(join(root, 'settings.json'), '{}');
    builds = 0;
    build = {
      root,
      inputs: ['source', 'settings.json'],
      output: 'dist/app',
      into: async (folder) => {
        builds += 1;
        writeFileSync(join(folder, 'built'), readFileSync(join(root, 'source', 'deep', 'a.ts')));
      },
    };
  });

  afterEach(() => rmSync(root, { recursive: true }));

  const built = () => readFileSync(join(root, 'dist', 'app', 'built'), 'utf8');

  it('builds at first, and not again while nothing changed', async () => {
    assert.equal(await buildWhenStale(build), true);
    assert.equal(await buildWhenStale(build), false);
    assert.equal(builds, 1);
    assert.equal(built(), 'one');
  });

  it('rebuilds when a file changed or moved, or the output was removed', async () => {
    await buildWhenStale(build);
    writeFileSync(join(root, 'source', 'deep', 'a.ts'), 'two');
    assert.equal(await buildWhenStale(build), true);
    assert.equal(built(), 'two');
    renameSync(join(root, 'settings.json'), join(root, 'source', 'settings.json'));
    writeFileSync(join(root, 'settings.json'), '');
    assert.equal(await buildWhenStale(build), true);
    rmSync(join(root, 'dist'), { recursive: true });
    assert.equal(await buildWhenStale(build), true);
  });

  it('keeps the old output when the build fails, and tries again next time', async () => {
    await buildWhenStale(build);
    writeFileSync(join(root, 'source', 'deep', 'a.ts'), 'broken');
    const failing = { ...build, into: async () => Promise.reject(new Error('does not compile')) };
    await assert.rejects(buildWhenStale(failing), /does not compile/);
    assert.equal(built(), 'one');
    assert.deepEqual(readdirSync(join(root, 'dist')), ['app']);
    assert.equal(await buildWhenStale(build), true);
    assert.equal(built(), 'broken');
  });
});
