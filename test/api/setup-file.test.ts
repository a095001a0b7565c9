import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnDatabases } from '../support/databases.ts';
import { setupRun } from '../support/examined-platform.ts';

describeOnDatabases('the file of variables that setup writes', (databases) => {
  const own = setupRun(databases);

  it('keeps the keys it has, and is read by Node as it was written', async () => {
    Object.assign(own.given, { ENVIRONMENT_LABEL: 'it’s "new"', ALLOWED_NETWORKS: '10.0.0.0/8, 127.0.0.0/8' });
    await own.run('--yes');
    const [before, text] = [own.environment(), readFileSync(own.envFile, 'utf8')];
    const names = Object.keys(before);
    const program = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
    const read = execFileSync(process.execPath, [`--env-file=${own.envFile}`, '-e', program], {
      env: {},
      encoding: 'utf8',
    });
    assert.deepEqual(
      JSON.parse(read),
      names.map((name) => before[name]),
    );
    assert.equal(before.ENVIRONMENT_LABEL, 'it’s "new"');
    for (const name of names) delete own.given[name];
    await own.run('--yes');
    assert.equal(readFileSync(own.envFile, 'utf8'), text);
  });

  it('is not written where the environment holds everything, unless it is asked for', async () => {
    await own.run('--yes');
    Object.assign(own.given, own.environment());
    own.envFile = '';
    const ran = await own.run('--yes');
    assert.equal(ran.exitCode, 0);
    assert.match(own.rowOf(ran, 'Environment file'), /^ok .*The environment holds every variable\.$/);
    assert.ok(ran.lines.includes('  node dist/server/main.js doctor'), ran.lines.join('\n'));
    assert.ok(!existsSync('dashboard.env'));
    delete own.given.ENCRYPTION_KEY;
    assert.match(own.rowOf(await own.run(), 'Environment file'), /^to do .*Create dashboard\.env/);
    own.given.ENCRYPTION_KEY = 'an-encryption-key-of-the-environment-0123456789';
    own.envFile = join(own.folder, 'asked.env');
    assert.match(own.rowOf(await own.run(), 'Environment file'), /^to do .*Create .*asked\.env/);
  });

  it('is refused where others can read it, or where it is none', async () => {
    writeFileSync(own.envFile, 'PORT=1\n');
    chmodSync(own.envFile, 0o644);
    await assert.rejects(own.run('--yes'), /Others can read .*: chmod 600 /);
    rmSync(own.envFile);
    symlinkSync(own.keyFile, own.envFile);
    await assert.rejects(own.run('--yes'), /is not a file/);
    rmSync(own.envFile);
    own.envFile = join(own.folder, 'nowhere', 'customer.env');
    const failed = await own.run('--yes');
    assert.equal(failed.exitCode, 1);
    assert.match(own.rowOf(failed, 'Environment file'), /^failed .*could not be written: ENOENT/);
  });
});
