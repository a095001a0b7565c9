import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Tracked files, and untracked ones that are not ignored, by folder or pattern. */
export const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)));

/** The lines below a line that names them, without their indentation. */
export function below(text: string, name: string): string {
  const found = new RegExp(`^${name}:\\n((?:(?: .*)?\\n)*)`, 'm').exec(text);
  return (found?.[1] ?? assert.fail(`no ${name}`)).replace(/^ {2}/gm, '');
}
/** `NAME: value` for each line of that form. */
export const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** As Compose fills variables in: `${X:?}` is demanded, `${X:-y}` is y where X is unset, `${X:+y}` where it is set. */
export function filledIn(value: string, env: Record<string, string>): string {
  const filled = value.replace(/\$\{(\w+):([?+-])([^${}]*)\}/g, (_all, name, kind, word) =>
    kind === '+' ? (env[name] ? word : '') : env[name] || (kind === '-' ? word : assert.fail(`${name} is demanded`)),
  );
  return filled === value ? value.replace(/^"(.*)"$/, '$1') : filledIn(filled, env);
}
