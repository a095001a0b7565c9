import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** A YAML file, with its aliases and merge keys resolved. */
export const readYaml = (path: string): unknown => parse(readText(path), { merge: true });

/** The files of these folders or patterns that Git tracks, or neither tracks nor ignores. */
export const listFiles = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)));
