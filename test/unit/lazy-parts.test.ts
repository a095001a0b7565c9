import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../../client/', import.meta.url));
/** The one file that loads in another way: it holds the helpers. */
const HELPERS = 'ui/loading/lazy-part.tsx';

/**
 * What arrives late in this code without being able to fail in its place: a plain `import()`, React's `lazy`, the
 * router's `lazyRouteComponent`.
 */
function unguarded(code: string): string[] {
  const bare = code.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
  const guarded = bare
    .replaceAll(/\blazy(?:Page|Panel|Dialog)\(\s*\(\)\s*=>\s*import\(/g, '')
    .replaceAll(/\blazyDialog\(async \(\) => \{\s*const [^;]*?\bimport\(/g, '')
    // Called within a `lazyDialog`.
    .replaceAll(/\bbulkActions\(\s*\{[^;]*?\},\s*\(\)\s*=>\s*import\(/g, '');
  const plain = guarded.match(/(?<!\btypeof )\bimport\s*\(.*/g) ?? [];
  const others = bare.match(/\bimport\s*\{[^}]*\b(?:lazy|lazyRouteComponent)\b[^}]*\}\s*from\s*'(?!\.).*/g) ?? [];
  const wholes = bare.match(/\b(?:React|router)\.lazy\w*\(.*/gi) ?? [];
  return [...plain, ...others, ...wholes];
}

describe('what the app loads late', () => {
  it('goes through lazyPage, lazyPanel or lazyDialog, so that what does not arrive can be asked for again', () => {
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && file !== HELPERS,
    );
    assert.ok(files.length > 300);
    const found = files.flatMap((file) =>
      unguarded(readFileSync(client + file, 'utf8')).map((code) => `${file}: ${code}`),
    );
    assert.deepEqual(found, []);
  });

  for (const code of [
    "const Editor = lazy(() => import('./editor.tsx'));",
    "import { lazy, useState } from 'react';",
    "import {\n  getRouteApi,\n  lazyRouteComponent,\n} from '@tanstack/react-router';",
    'const Editor = React.lazy(load);',
    "const module = await import('./editor.ts');",
    "void import(\n  './editor.ts'\n);",
  ]) {
    it(`is found where it does not: ${JSON.stringify(code)}`, () => assert.notDeepEqual(unguarded(code), []));
  }

  for (const code of [
    "const Editor = lazyDialog(() => import('./editor.tsx'), 'Editor');",
    "const Editor = lazyPanel(\n  () => import('./editor.tsx'),\n  'Editor',\n);",
    "import { lazyDialog } from '../../ui/lazy-part.tsx';",
    "type Widgets = keyof typeof import('./widgets.tsx');",
    "import { useState } from 'react';",
  ]) {
    it(`is accepted where it does: ${JSON.stringify(code)}`, () => assert.deepEqual(unguarded(code), []));
  }
});
