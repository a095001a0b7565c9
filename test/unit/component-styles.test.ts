import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../../client/', import.meta.url));
const styles = fileURLToPath(new URL('../../node_modules/@mantine/core/styles/', import.meta.url));
const imported = (source: string): string[] =>
  [...source.matchAll(/'@mantine\/core\/styles\/(\w+)\.layer\.css'/g)].flatMap(([, name = '']) => name);

/** What components are made of, besides or instead of styles by their own name. */
const DIALOG = ['ModalBase', 'Overlay', 'Paper', 'CloseButton', 'UnstyledButton'];
const PARTS: Record<string, string[]> = {
  Menu: ['Menu', 'Popover', 'UnstyledButton'],
  Modal: ['Modal', ...DIALOG],
  Drawer: ['Drawer', ...DIALOG],
};
/** What every page has from the start. */
const SHELL = imported(readFileSync(join(client, 'app/startup/first-styles.ts'), 'utf8'));

/** The styles of the Mantine components that a source uses, where they are neither in the shell nor imported beside them. */
function missingStyles(source: string): string[] {
  const has = new Set([...SHELL, ...imported(source)]);
  return [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim().split(' ', 1)[0] ?? '')
    .flatMap((name) => PARTS[name] ?? [name])
    .filter((name) => existsSync(join(styles, `${name}.layer.css`)) && !has.has(name));
}

describe('the styles of a Mantine component', () => {
  it('are imported where it is used, so that it looks the same whichever page was opened first', () => {
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'));
    assert.ok(files.length > 100);
    const missing = files.flatMap((path) =>
      missingStyles(readFileSync(join(client, path), 'utf8')).map((name) => `${path}: ${name}`),
    );
    assert.deepEqual(missing, []);
  });

  it('are reported by this check where their import is missing', () => {
    const source = "import { Menu as MantineMenu, SimpleGrid } from '@mantine/core';";
    assert.deepEqual(missingStyles(source), ['Menu', 'Popover', 'UnstyledButton', 'SimpleGrid']);
    const styled = `import '@mantine/core/styles/Menu.layer.css';`;
    assert.deepEqual(missingStyles(`${styled}\n${source}`), ['Popover', 'UnstyledButton', 'SimpleGrid']);
  });
});
