import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'dist/settings-reader';
/** Where tsc puts its declarations, which import nothing. */
const DECLARATIONS = 'dist/server/settings-reader/settings-reader.d.ts';
const OWN_DRIVERS = { 'better-sqlite3': '>=13' };

/**
 * Makes a package of the bundled settings reader: what describes it, and its types for `import` and `require`.
 * @param bundle writes the two files of code
 */
export async function buildSettingsReader(root: string, bundle: () => Promise<void>): Promise<void> {
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  await bundle();
  for (const name of ['settings-reader.d.ts', 'settings-reader.d.cts'])
    copyFileSync(join(root, DECLARATIONS), join(root, FOLDER, name));
  copyFileSync(join(root, 'server/settings-reader/package-readme.md'), join(root, FOLDER, 'README.md'));
  const { version, engines, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const description = {
    name: 'dashboard-admin-settings-reader',
    version,
    description: 'Reads the settings of Dashboard Admin from its database',
    type: 'module',
    engines,
    exports: {
      '.': {
        import: { types: './settings-reader.d.ts', default: './settings-reader.js' },
        require: { types: './settings-reader.d.cts', default: './settings-reader.cjs' },
      },
    },
    dependencies: { mysql2: `^${dependencies.mysql2}` },
    peerDependencies: OWN_DRIVERS,
    peerDependenciesMeta: { 'better-sqlite3': { optional: true } },
  };
  writeFileSync(join(root, FOLDER, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}
