import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The files of these folders or patterns that Git tracks, or neither tracks nor ignores. */
export const listFiles = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)));

/** The indented lines below the line `NAME:`, without the indentation. */
export function below(text: string, name: string): string {
  const [, lines] = new RegExp(`^${name}:\\n((?:(?: .*)?\\n)*)`, 'm').exec(text) ?? [];
  return (lines ?? assert.fail(`no ${name}`)).replace(/^ {2}/gm, '');
}

/** The names and values of all lines of the form `NAME: value`. */
export const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** Replaces variables as Compose does: `${X:?}` is required, `${X:-y}` is y if X is unset, `${X:+y}` is y if X is set. */
export function filledIn(value: string, env: Record<string, string>): string {
  const filled = value.replace(/\$\{(\w+):([?+-])([^${}]*)\}/g, (_all, name, kind, word) =>
    kind === '+' ? (env[name] ? word : '') : env[name] || (kind === '-' ? word : assert.fail(`${name} is required`)),
  );
  return filled === value ? value.replace(/^"(.*)"$/, '$1') : filledIn(filled, env);
}
