// Plants one fault at a time in a copy of the sources, and expects its tests to fail for the stated reason:
//   node test/faults/plant.ts [--root CHECKOUT] [NAME…]
// Prints a table. Exits 1 if a fault could not be planted or was not noticed.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { APP_FAULTS } from './app-faults.ts';
import { DATA_FAULTS } from './data-faults.ts';
import { SERVER_FAULTS } from './server-faults.ts';
import { applyChange, type Fault } from './source-change.ts';

/** Everything that tests read, apart from packages and build output. */
const COPIED = ['server', 'client', 'shared', 'test', 'docs', 'deploy', 'package.json', 'package-lock.json'].concat([
  'knexfile.ts',
  'vite.config.ts',
  'tsconfig.base.json',
  'biome.json',
  '.mocharc.cjs',
  'README.md',
  '.github',
]);
const LINKED = ['node_modules', 'dist', '.git'];

interface Failure {
  fullTitle: string;
  err: { message?: string };
}

const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true });
const root = resolve(values.root ?? join(import.meta.dirname, '../..'));
const chosen = [...SERVER_FAULTS, ...DATA_FAULTS, ...APP_FAULTS].filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);

let failed = 0;
process.stdout.write('| Fault | Noticed by |\n|---|---|\n');
for (const fault of chosen) {
  const noticed = await noticedBy(fault);
  if (!noticed.ok) failed += 1;
  process.stdout.write(`| ${fault.name} | ${noticed.ok ? '' : '**no:** '}${noticed.text} |\n`);
}
process.exitCode = failed > 0 ? 1 : 0;

async function noticedBy(fault: Fault): Promise<{ ok: boolean; text: string }> {
  const copy = mkdtempSync(join(tmpdir(), 'fault-'));
  try {
    for (const name of COPIED) {
      if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    for (const name of LINKED) {
      if (existsSync(join(root, name))) symlinkSync(join(root, name), join(copy, name));
    }
    for (const change of fault.changes) applyChange(copy, change);
    const files = fault.tests.filter((file) => existsSync(join(copy, file)));
    if (files.length === 0) return { ok: false, text: `none of its tests exists: ${fault.tests.join(', ')}` };
    const failures = failuresOf(copy, files);
    const match = failures.find(({ fullTitle, err }) => fault.reason.test(`${fullTitle}: ${err.message}`));
    if (match !== undefined) return { ok: true, text: `${files.join(', ')}: ${match.fullTitle}` };
    const others = failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message?.slice(0, 200)}`);
    return {
      ok: false,
      text: others.length === 0 ? 'nothing failed' : `failed for another reason: ${others.join(' · ')}`,
    };
  } catch (error) {
    return { ok: false, text: (error as Error).message };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function failuresOf(folder: string, files: readonly string[]): Failure[] {
  const report = join(folder, 'report.json');
  // A fault can make many tests wait: a minute is enough for each.
  const options = ['--timeout', '60000', '--reporter', 'json', '--reporter-option', `output=${report}`];
  const mocha = ['node_modules/mocha/bin/mocha.js', ...options, ...files];
  const { stderr } = spawnSync(process.execPath, mocha, { cwd: folder, encoding: 'utf8' });
  if (!existsSync(report)) throw new Error(`Mocha ended without a report: ${stderr.slice(-500)}`);
  return (JSON.parse(readFileSync(report, 'utf8')) as { failures: Failure[] }).failures;
}
