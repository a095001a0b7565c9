import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENCRYPTION_KEY, vaultOn } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { startProgram } from '../support/processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NAME = 'dashboard-admin-settings-reader';
const READ = `async function main(create) {
  const reader = create({ databaseUrl: process.env.URL, encryptionKeys: process.env.KEYS.split(','), ttlSeconds: 0 });
  try {
    console.log(JSON.stringify([await reader.get('mail.password'), (await reader.get('nothing')) ?? null]));
  } catch (error) {
    console.log(error.name + ' ' + error.message);
  }
  await reader.close();
}`;
const PROGRAMS = {
  'read.mjs': `import { createSettingsReader } from '${NAME}';\n${READ}\nmain(createSettingsReader);\n`,
  'read.cjs': `const { createSettingsReader } = require('${NAME}');\n${READ}\nmain(createSettingsReader);\n`,
};

describeOnDatabases('the package of the settings reader', (databases) => {
  let project: string;
  before(() => {
    assert.ok(existsSync(join(root, 'dist/settings-reader/package.json')), 'dist is missing: npm run build');
    project = mkdtempSync(join(tmpdir(), 'reader-'));
    const [{ filename = '' } = {}] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--pack-destination', project, join(root, 'dist/settings-reader')], {
        encoding: 'utf8',
      }),
    ) as { filename?: string }[];
    const folder = join(project, 'node_modules', NAME);
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['xzf', join(project, filename), '--strip-components=1', '-C', folder]);
    for (const dependency of ['mysql2', 'better-sqlite3', '@types'])
      symlinkSync(join(root, 'node_modules', dependency), join(project, 'node_modules', dependency));
    for (const [name, program] of Object.entries(PROGRAMS)) writeFileSync(join(project, name), program);
  });
  after(() => rmSync(project, { recursive: true }));

  async function printedBy(name: keyof typeof PROGRAMS, URL: string, keys: readonly string[]): Promise<string> {
    const running = startProgram(process.execPath, [name], { URL, KEYS: keys.join() }, project);
    assert.equal(await running.ended(), 0, running.output());
    return running.output().trim();
  }

  it('reads settings in a project that imports or requires it, and does not keep its process running', async () => {
    const { url, database } = await databases.createMigrated();
    await vaultOn(database).vault.put({ key: 'mail.password', value: 'päss 🔑', encrypted: true }, 'test');
    for (const name of ['read.mjs', 'read.cjs'] as const) {
      assert.equal(await printedBy(name, url, [ENCRYPTION_KEY]), '["päss 🔑",null]');
      const other = 'another-encryption-key-0123456789-abcdefghijk';
      assert.equal(await printedBy(name, url, [other, ENCRYPTION_KEY]), '["päss 🔑",null]');
      assert.match(
        await printedBy(name, url, [other]),
        /^CipherError the ciphertext cannot be decrypted: unknown_key$/,
      );
    }
  });

  it('exports only createSettingsReader, with types that import nothing', async () => {
    const folder = join(root, 'dist/settings-reader');
    assert.deepEqual(Object.keys(await import(join(folder, 'settings-reader.js'))), ['createSettingsReader']);
    for (const name of ['settings-reader.d.ts', 'settings-reader.d.cts'])
      assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /\bimport\b|\bfrom '/, name);
  });

  it('does not reveal user name and password when it reports an unavailable database', async () => {
    const url =
      databases.client === 'sqlite' ? 'sqlite:/missing/missing.sqlite' : 'mysql://username:pass-word@127.0.0.1:9/none';
    const printed = await printedBy('read.mjs', url, [ENCRYPTION_KEY]);
    assert.doesNotMatch(printed, /username|pass-word/);
    assert.match(printed, /^\w*Error /);
  });
});
