import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../support/repository-files.ts';

const CIRCLE = 'lint/suspicious/noImportCycles';

/** A whole file and the rule that it breaks. */
const BREAKING: [path: string, code: string, rule: string][] = [
  ['server/main.ts', 'export const port = process.env.PORT;', 'lint/style/noProcessEnv'],
  ['server/http/port.ts', 'export const port = process.env.PORT;', 'lint/style/noProcessEnv'],
  ['client/ui/mode.ts', 'export const mode = process.env.NODE_ENV;', 'lint/style/noProcessEnv'],
  ['server/http/loud.ts', "console.log('x');", 'lint/suspicious/noConsole'],
  ['client/ui/loud.ts', "console.log('x');", 'lint/suspicious/noConsole'],
  ['server/http/any.ts', 'export const loose = (x: any) => x;', 'lint/suspicious/noExplicitAny'],
  ['server/http/default.ts', 'export default 1;', 'lint/style/noDefaultExport'],
  ['server/http/barrel.ts', "export * from './log.ts';", 'lint/performance/noBarrelFile'],
  ['server/http/enum.ts', 'export enum E { A }', 'lint/style/noEnum'],
  ['server/http/camelCase.ts', 'export const one = 1;', 'lint/style/useFilenamingConvention'],
  ['server/http/circle-a.ts', "import { b } from './circle-b.ts';\nexport const a = b;", CIRCLE],
  ['server/http/circle-b.ts', "import { a } from './circle-a.ts';\nexport const b = a;", CIRCLE],
  ['shared/types-a.ts', "import type { B } from './types-b.ts';\nexport type A = B;", CIRCLE],
  ['shared/types-b.ts', "import type { A } from './types-a.ts';\nexport type B = A;", CIRCLE],
  ['test/unit/only.test.ts', "describe.only('x', () => {});", 'lint/suspicious/noFocusedTests'],
  ['test/unit/skip.test.ts', "describe.skip('x', () => {});", 'lint/suspicious/noSkippedTests'],
];

describe('lint rules', () => {
  it('are broken by each file that breaks one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    try {
      for (const name of ['biome.json', '.gitignore']) copyFileSync(join(root, name), join(folder, name));
      for (const [path, code] of BREAKING) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), `${code}\n`);
      }
      const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
      const args = [biome, 'lint', '--error-on-warnings', '--max-diagnostics=none', '--reporter=json'];
      const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
      const found = diagnostics.map(({ category, location }) => `${location.path}: ${category}`);
      assert.deepEqual(
        BREAKING.map(([path, , rule]) => `${path}: ${rule}`).filter((broken) => !found.includes(broken)),
        [],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
