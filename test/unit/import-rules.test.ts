import assert from 'node:assert/strict';
import { brokenRule, importRules, importsOf } from '../support/import-rules.ts';
import { listed, read } from '../support/repository-files.ts';

const rules = importRules(read('docs/architecture.md'));
const files = listed('server', 'client', 'shared');
const names = [...new Set([...rules].flatMap(([name, allowed]) => [name, ...allowed]))];

/** One file that a name stands for, another for each `star`. */
const fileOf = (name: string, star = 'one'): string => {
  const path = name.replaceAll('*', star);
  return /\.\w+$|:|^packages$/.test(path) ? path : `${path}/planted.ts`;
};

describe('who may import whom', () => {
  it('is held by every import', () => {
    const broken = files
      .filter((file) => /\.(?:tsx?|mjs|css|html)$/.test(file))
      .flatMap((file) =>
        importsOf(file, read(file)).flatMap(({ specifier, target }) => {
          const rule = brokenRule(rules, file, target);
          return rule === undefined ? [] : [`${file} imports ${specifier}: ${rule}`];
        }),
      );
    assert.deepEqual(broken, []);
  });

  it('names what is there, and every folder', () => {
    const missing = names.filter((name) => !/:|^packages$/.test(name) && listed(name).length === 0);
    const folders = new Set(files.flatMap((file) => /^(?:server|client)\/[^/]+(?=\/)|^shared/.exec(file) ?? []));
    const unnamed = [...folders].filter((folder) => !names.some((name) => `${name}/`.startsWith(`${folder}/`)));
    assert.deepEqual([...missing, ...unnamed], []);
  });

  for (const code of [
    "import { thing } from '../app.ts';",
    "import type { Thing } from '../app.ts';",
    "import '../app.ts';",
    'import {\n  type Thing,\n  thing,\n} from "../app.ts";',
    "import thing = require('../app.ts');",
    "export * from '../app.ts';",
    "export type { Thing } from '../app.ts';",
    "const late = () => import('../app.ts');",
    "const late = () => import(/* late */ '../app.ts');",
    'const late = () => import(`../app.ts`);',
    "type Thing = import('../app.ts').Thing;",
    "createRequire(import.meta.url)('../app.ts');",
    "new Worker(new URL('../app.ts', import.meta.url));",
    "import raw from '../app.ts?raw';",
    "import { thing } from './../features/../app.ts';",
    "@import '../app.ts';",
  ])
    it(`sees ${code}`, () => {
      const targets = importsOf('server/gate/x.ts', code).map(({ target }) => target);
      assert.deepEqual([...new Set(targets)], ['server/app.ts']);
    });

  it('sees packages and modules of Node', () => {
    const code =
      "import a from '@x/a/b';\nconst c = () => import('c');\nrequire('d');\nprocess.getBuiltinModule('node:fs');";
    const targets = importsOf('client/x.ts', code).map(({ target }) => target);
    assert.deepEqual(targets, ['packages', 'packages', 'packages', 'node:fs']);
  });

  for (const [name] of rules)
    it(`refuses ${name} every row that it does not name`, () => {
      const allowed = [...rules].flatMap(([other, more]) => (`${name}/`.startsWith(`${other}/`) ? more : []));
      const others = [...rules.keys(), 'test', 'knexfile.ts', 'packages', 'node:*', 'virtual:*'];
      const refused = others.filter((other) => brokenRule(rules, fileOf(name), fileOf(other, 'two')) !== undefined);
      const named = (other: string) => allowed.includes(other) || (other === name && !name.includes('*'));
      assert.deepEqual(
        refused,
        others.filter((other) => !named(other)),
      );
      assert.ok(refused.length > others.length / 2, 'a row that refuses next to nothing');
    });
});
