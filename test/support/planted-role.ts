import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['client', 'server', 'shared', 'test', 'package.json', 'package-lock.json', 'tsconfig.base.json'];
const SETTINGS = ['vite.config.ts', '.mocharc.cjs', 'dist/client'];

/** A copy of the sources with a role `auditor` that may read the audit trail, added to the tables of product and tests. */
export interface PlantedRole {
  /** Runs node in the copy. @throws with its output when it fails */
  run(...args: string[]): Promise<void>;
  remove(): Promise<void>;
}

export async function plantedRole(): Promise<PlantedRole> {
  const folder = await mkdtemp(join(tmpdir(), 'planted-role-'));
  for (const name of [...SOURCES, ...SETTINGS]) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const plant = async (file: string, row: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8');
    assert.equal(text.split('\n  viewer: {').length, 2, `${file} has one row for viewers`);
    await writeFile(join(folder, file), text.replace('\n  viewer: {', `\n  ${row}$&`));
  };
  await plant('shared/capabilities.ts', "auditor: { name: 'Auditor', may: ['audit.read'] },");
  await plant(
    'test/routes/roles.ts',
    "auditor: { may: ['audit.read'], pages: ['Overview', 'Security', 'System'], tabs: ['Audit trail'] },",
  );
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'TSX_TSCONFIG_PATH'));
  return {
    async run(...args) {
      const running = startProgram(process.execPath, args, env as Record<string, string>, folder);
      assert.equal(await running.ended(), 0, running.output());
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export const MOCHA = 'node_modules/mocha/bin/mocha.js';
