import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withCommands } from '../../docs/openapi/commands.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES, VARIABLES } from '../../server/config/variables.ts';
import { ERROR_CODES } from '../../shared/errors.ts';
import { SIGN_IN_FAILURES } from '../../shared/session.ts';
import { listed, read, root } from '../support/repository-files.ts';

/** What looks like a path of the repository: from one of its folders on, a folder, or a file with a known ending. */
const PATH =
  /`((?:(?:server|client|shared|test|docs)\/[\w./-]*|(?:[\w-]+\/)+|\w[\w./-]*\.(?:tsx?|mjs|cjs|css|html|json|md|ya?ml)))`/g;
const namedIn = (text: string): string[] => [...text.matchAll(PATH)].map(([, path = '']) => path);

/** `a/b` and `a` of `a/b/c.ts`. */
const foldersOf = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

/** The rows of the tables under a heading, each as its cells. */
function tableUnder(path: string, heading: string): string[][] {
  const section = read(path).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('the documents', () => {
  const documents = listed('*.md');
  const slug = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');

  /** Whether a file of the repository is there, and has the heading that is named behind `#`. */
  function exists(target: string): boolean {
    const [file = '', anchor] = target.split('#');
    if (!existsSync(join(root, file))) return false;
    return (
      anchor === undefined || [...read(file).matchAll(/^#+ (.+)$/gm)].some(([, text = '']) => slug(text) === anchor)
    );
  }

  it('link to files and headings that exist', () => {
    const broken = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target))
        .filter((target) => !exists(target.startsWith('#') ? `${path}${target}` : join(dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  it('name no script that package.json does not have', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = documents.flatMap((path) =>
      [...read(path).matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter((name) => !(name in scripts)),
      [],
    );
  });

  // The end of a path will do. `things` is the made-up resource of docs/reference.md, `data/` the service's own.
  it('name no file or folder that does not exist', () => {
    const paths = listed().flatMap((path) => [`/${path}`, ...foldersOf(path).map((folder) => `/${folder}/`)]);
    const ends = new Set(paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1))));
    const missing = documents.flatMap((path) =>
      namedIn(read(path))
        .filter((named) => !ends.has(named) && !ends.has(`${named}/`) && !/\bthings?\b|^data\//.test(named))
        .map((named) => `${path}: ${named}`),
    );
    assert.deepEqual(missing, []);
  });

  it('name for each promise of security the tests that keep it', () => {
    const rows = tableUnder('docs/security.md', 'Promises').filter(
      ([, keeper]) => !/^(?:---|Kept by)$/.test(keeper ?? ''),
    );
    assert.ok(rows.length > 30);
    for (const [promise, keepers = ''] of rows) {
      const files = namedIn(keepers);
      assert.notEqual(files.length, 0, promise);
      assert.deepEqual(
        files.filter((file) => !/^test\/[\w/-]+(?:\.all)?\.test\.tsx?$/.test(file)),
        [],
      );
      // Which `npm test` runs.
      const first = files.filter((file) => !/\.all\.test\.|^test\/cluster\//.test(file));
      assert.notEqual(first.length, 0, promise);
    }
  });

  it('list every variable that the configuration reads, and no other, with its default', () => {
    const env: NodeJS.ProcessEnv = {
      SESSION_SIGNING_KEY: 'a-signing-key-of-more-than-thirty-two-bytes',
      ENCRYPTION_KEY: 'another-key-of-more-than-thirty-two-bytes!!',
      AUTH_URL: 'https://login.example',
      OAUTH_CLIENT_ID: 'dashboard',
    };
    const asked = new Set<string>();
    const watched = new Proxy(env, {
      get(target, name) {
        asked.add(String(name));
        return target[String(name)];
      },
    });
    const config = parseConfig(watched);
    const rows = tableUnder('docs/configure.md', 'Variables').filter(([variable]) => variable?.startsWith('`'));
    const listed = rows.map(([variable = '']) => variable.slice(1, -1));
    assert.deepEqual([...VARIABLES].sort(), [...asked].sort());
    // Those that name a file are described below the table.
    for (const { file } of FILE_VARIABLES) asked.delete(file);
    assert.deepEqual([...listed].sort(), [...asked].sort());
    for (const [index, [, value = '']] of rows.entries()) {
      const [, plain] = /^`([a-z0-9.]+)`/.exec(value) ?? [];
      if (plain !== undefined)
        assert.deepEqual(parseConfig({ ...env, [listed[index] ?? '']: plain }), config, listed[index]);
      if (value === '**required**')
        assert.throws(() => parseConfig({ ...env, [listed[index] ?? '']: '' }), listed[index]);
    }
  });

  it('explain every error code and every reason of a failed sign-in', () => {
    const codes = tableUnder('docs/api.md', 'Errors').map(([, code = '']) => code.slice(1, -1));
    assert.deepEqual(
      ERROR_CODES.filter((code) => !codes.includes(code)),
      [],
    );
    const reasons = tableUnder('docs/api.md', 'Sign-in and session').map(([reason = '']) => reason.slice(1, -1));
    assert.deepEqual(
      SIGN_IN_FAILURES.filter((reason) => !reasons.includes(reason)),
      [],
    );
  });

  it('show commands in the forms that the table has for them (otherwise run npm run docs)', () => {
    const pages = documents.filter((path) => read(path).includes('\n<!-- /command -->'));
    assert.ok(pages.length > 1);
    for (const path of pages) assert.equal(read(path), withCommands(read(path)), path);
  });

  describe('for whoever runs it', () => {
    const running = documents
      .filter((path) => /^docs\/[\w-]+\.md$/.test(path) && !/(?:api|architecture|reference|security)\.md$/.test(path))
      .map(read);
    /** What stands between backticks, in a line or in a block of commands. */
    const code = running.flatMap((text) =>
      [...text.matchAll(/```(?:sh|yaml)\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, words]) => block ?? words ?? ''),
    );

    it('name no command that the service does not have', () => {
      const known = [...read('server/commands.ts').matchAll(/^ {4}case '([\w:-]+)':/gm)].map(([, name]) => name);
      const named = code.flatMap((text) => [...text.matchAll(/main\.js ([\w:-]+)|^((?:settings|audit):\w+)\b/g)]);
      assert.ok(named.length > 5);
      assert.deepEqual(
        named.map(([, one, other]) => one ?? other).filter((name) => !known.includes(name)),
        [],
      );
    });

    it('name no variable that the service does not read', () => {
      const known = new Set<string>([...VARIABLES, 'NODE_EXTRA_CA_CERTS', 'DATABASE_URI', 'ADMIN_KEY']);
      const named = code.flatMap((text) => text.match(/(?<![\w…])[A-Z]+(?:_[A-Z]+)+(?!\w)/g) ?? []);
      assert.ok(named.length > 50);
      assert.deepEqual(
        // Besides, there are errors of databases, values of `ssl-mode`, and names in the file of Compose.
        named.filter((name) => !known.has(name) && !/^(?:ER|VERIFY|CUSTOMER|WORKFORCE)_/.test(name)),
        [],
      );
    });

    // `…` stands for what differs.
    it('quote no line that the service does not log', () => {
      const sources = listed('server').filter((path) => path.endsWith('.ts'));
      const source = sources.map(read).join('\n');
      const lines = [...read('docs/troubleshoot.md').matchAll(/```log\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
        block.trim().split('\n'),
      );
      assert.ok(lines.length > 25);
      const isLogged = (line: string): boolean => source.includes(line.replace(/^\w+ +/, '').replace(/…$/, ''));
      assert.deepEqual(
        lines.filter((line) => !isLogged(line)),
        [],
      );
    });
  });
});
