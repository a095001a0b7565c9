import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { withCommands } from '../../docs/openapi/commands.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES, VARIABLES } from '../../server/config/variables.ts';
import { CAPABILITIES, can, ROLES } from '../../shared/capabilities.ts';
import { ERROR_CODES } from '../../shared/errors.ts';
import { DUTIES, hasDuty } from '../../shared/role-duties.ts';
import { SIGN_IN_FAILURES } from '../../shared/session.ts';
import { TEST_KEYS } from '../support/context.ts';
import { SERVICE_ARGUMENTS } from '../support/processes.ts';
import { listFiles, readText, root } from '../support/repository-files.ts';

/** All that a configuration needs but where operators sign in. */
const REQUIRED = { ...TEST_KEYS, OAUTH_CLIENT_ID: 'dashboard' };

/** The rows of the tables below a heading, each as its cells. */
function tableBelow(path: string, heading: string): string[][] {
  const section = readText(path).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (?!---)(.*) \|$/gm)].slice(1).map(([, row = '']) => row.split(' | '));
}
const codeOf = (cell = ''): string => /^`(.+)`$/.exec(cell)?.[1] ?? '';

describe('the documents', () => {
  const documents = listFiles('*.md');
  const matchesIn = (paths: readonly string[], pattern: RegExp): { path: string; found: string }[] =>
    paths.flatMap((path) => [...readText(path).matchAll(pattern)].map(([, found = '']) => ({ path, found })));

  it('link only to files and headings that exist', () => {
    const anchorOf = (heading: string): string =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-');
    const exists = (target: string): boolean => {
      const [file = '', anchor] = target.split('#');
      if (!existsSync(join(root, file))) return false;
      return anchor === undefined || matchesIn([file], /^#+ (.+)$/gm).some(({ found }) => anchorOf(found) === anchor);
    };
    const broken = matchesIn(documents, /\]\((?!https?:)([^)\s]+)\)/g).filter(
      ({ path, found }) => !exists(found.startsWith('#') ? path + found : join(dirname(path), found)),
    );
    assert.deepEqual(broken, []);
  });

  it('name only files and folders that exist', () => {
    const pattern =
      /`((?:(?:server|client|shared|test|docs)\/[\w./-]*|(?:[\w-]+\/)+|\w[\w./-]*\.(?:tsx?|mjs|cjs|css|html|json|md|ya?ml)))`/g;
    const paths = listFiles();
    const folders = paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1)));
    const existing = [...paths, ...folders].map((path) => `/${path}\n`).join('');
    // The end of a path is enough. `things` is the invented resource of docs/reference.md, and `data/` is created later.
    const missing = matchesIn(documents, pattern).filter(
      ({ found }) =>
        !/\bthings?\b|^data\//.test(found) && !existing.includes(`/${found}\n`) && !existing.includes(`/${found}/\n`),
    );
    assert.deepEqual(missing, []);
  });

  it('name a test of the first tier for each security promise', () => {
    const promises = tableBelow('docs/security.md', 'Promises').filter(([, keeper]) => keeper !== 'Kept by');
    assert.ok(promises.length > 30);
    const isInFirstTier = (path: string): boolean => /^test\/(?!cluster\/).*(?<!\.all)\.test\.tsx?$/.test(path);
    const withoutTest = promises.filter(([, tests = '']) => !tests.split(', ').map(codeOf).some(isInFirstTier));
    assert.deepEqual(withoutTest, []);
  });

  it('say what each role may do, as the Operators page does, with every capability that limits a role', () => {
    const duties = Object.entries(DUTIES).flatMap(([group, rows]) => rows.map((duty) => ({ group, duty })));
    const cells = duties.map(({ group, duty }) => {
      // A row with several capabilities would be wrong for a role that has only some of them.
      const [words, ...needs] = duty;
      const has = ROLES.map((role) => hasDuty(role, duty));
      for (const one of needs)
        assert.deepEqual(
          has,
          ROLES.map((role) => can(role, one)),
          words,
        );
      return [group, words, ...has.map((may) => (may ? 'yes' : 'no'))];
    });
    assert.deepEqual(tableBelow('docs/operators.md', 'What each role may do'), cells);
    const named = duties.flatMap(({ duty: [, ...needs] }) => needs);
    const unnamed = CAPABILITIES.filter((capability) => !named.includes(capability));
    assert.deepEqual(unnamed, ['layout.own', 'views.own', 'paths.any']);
  });

  it('list every variable that the configuration reads, with its default', () => {
    const env: NodeJS.ProcessEnv = { ...REQUIRED, AUTH_URL: 'https://login.example' };
    const variables = new Set<string>();
    const observed = new Proxy(env, {
      get(target, name) {
        variables.add(String(name));
        return target[String(name)];
      },
    });
    const config = parseConfig(observed);
    assert.deepEqual([...VARIABLES].sort(), [...variables].sort());
    // Variables that name a file are described below the table.
    for (const { file } of FILE_VARIABLES) variables.delete(file);
    const rows = tableBelow('docs/configure.md', 'Variables').filter(([variable]) => variable?.startsWith('`'));
    assert.deepEqual(rows.map(([variable]) => codeOf(variable)).sort(), [...variables].sort());
    for (const [variable, value = ''] of rows) {
      const name = codeOf(variable);
      const [, defaultValue] = /^`([a-z0-9.]+)`/.exec(value) ?? [];
      if (defaultValue !== undefined) assert.deepEqual(parseConfig({ ...env, [name]: defaultValue }), config, name);
      if (value === '**required**') assert.throws(() => parseConfig({ ...env, [name]: '' }), name);
    }
  });

  it('contain valid configurations for each OpenID provider, and for the short path', () => {
    const cells = tableBelow('docs/connect.md', 'OpenID provider').map(([, cell = '']) => cell.replace(/` `|`/g, '\n'));
    const [, file = ''] = /^ *```env\n([\s\S]+?)```$/m.exec(readText('docs/getting-started.md')) ?? [];
    const examples = [...cells.filter((cell) => cell.startsWith('\nAUTH_ISSUER=')), file];
    assert.equal(examples.length, 9);
    // Throws if it is not valid.
    for (const example of examples) parseConfig({ ...REQUIRED, OPERATORS_FROM: 'claims', ...parseEnv(example) });
  });

  it('explain every error code and every reason for a failed sign-in', () => {
    const codes = tableBelow('docs/api.md', 'Errors').map(([, code]) => codeOf(code));
    const reasons = tableBelow('docs/api.md', 'Sign-in and session').map(([reason]) => codeOf(reason));
    const unexplained = [
      ...ERROR_CODES.filter((code) => !codes.includes(code)),
      ...SIGN_IN_FAILURES.filter((reason) => !reasons.includes(reason)),
    ];
    assert.deepEqual(unexplained, []);
  });

  it('contain commands as `npm run docs` generates them', () => {
    const pages = documents.filter((path) => readText(path).includes('\n<!-- /command -->'));
    assert.ok(pages.length > 1);
    for (const path of pages) assert.equal(readText(path), withCommands(readText(path)), path);
  });

  it('name only scripts and commands that exist', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const usage = execFileSync(process.execPath, [...SERVICE_ARGUMENTS, '--help'], { cwd: root, encoding: 'utf8' });
    const commands = [...usage.matchAll(/main\.js ([\w:-]+)/g)].map(([, command]) => command);
    const namedScripts = matchesIn(documents, /\bnpm run ([\w:]+)/g);
    const namedCommands = matchesIn(documents, /(?:main\.js |`(?=(?:settings|audit):))([\w:]+)/g);
    assert.ok(namedScripts.length > 5 && namedCommands.length > 20);
    const unknown = [
      ...namedScripts.filter(({ found }) => !(found in scripts)),
      ...namedCommands.filter(({ found }) => !commands.includes(found)),
    ];
    assert.deepEqual(unknown, []);
  });
});
