import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { FILE_VARIABLES } from './variables.ts';

const MAX_BYTES = 64 * 1024;

export interface Secret {
  text?: string;
  problem?: string;
}

/**
 * Reads the secrets that are given as files, `X_FILE` instead of `X`; one trailing newline is dropped. An empty variable
 * counts as unset.
 * @param refuse reports a problem with a variable; names neither the path nor the content
 * @returns by the name of the variable, undefined where its file was refused
 */
export function readSecretFiles(
  env: NodeJS.ProcessEnv,
  refuse: (name: string, problem: string) => void,
): ReadonlyMap<string, string | undefined> {
  const secrets = new Map<string, string | undefined>();
  for (const { variable, file } of FILE_VARIABLES) {
    const path = env[file]?.trim();
    if (!path) continue;
    const { text, problem } = env[variable]?.trim() ? alsoSet(variable) : secretIn(path);
    if (problem !== undefined) refuse(file, problem);
    secrets.set(variable, text);
  }
  return secrets;
}

const alsoSet = (variable: string): Secret => ({ problem: `must not be set as well as ${variable}` });

/** Those of the defaults that an environment gives neither as a value nor as a file. */
export const missingDefaults = (
  defaults: Readonly<Record<string, string | undefined>>,
  given: NodeJS.ProcessEnv,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !given[name]?.trim() && !given[`${name}_FILE`]?.trim()),
  );

/** The content of a file, or what is wrong with it. Never waits, and reads no more than may be there. */
export function secretIn(path: string): Secret {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return { problem: 'must name a file' };
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null);
    if (length > MAX_BYTES) return { problem: `names a file of more than ${MAX_BYTES / 1024} KiB` };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, length));
    const secret = text.replace(/\r?\n$/, '');
    return secret.trim() === '' ? { problem: 'names an empty file' } : { text: secret };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { problem: 'names a file that is not UTF-8 text' };
    return { problem: `names a file that cannot be read: ${code}` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
