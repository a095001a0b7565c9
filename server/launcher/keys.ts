import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Deployment } from '../../shared/deployment.ts';
import { Refusal } from './refusal.ts';

const NAMES = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
export type Keys = Record<(typeof NAMES)[number], string>;

/**
 * The two keys of a deployment on this machine: made at the first start, then read. Whoever deletes the file loses
 * the stored encrypted settings with it.
 */
export function keysOf(dataDirectory: string, deployment: Deployment): Keys {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const path = join(dataDirectory, `keys-${deployment}.env`);
  if (!existsSync(path)) makeKeys(path);
  const { SESSION_SIGNING_KEY, ENCRYPTION_KEY } = parseEnv(readFileSync(path, 'utf8'));
  if (!SESSION_SIGNING_KEY || !ENCRYPTION_KEY)
    throw new Refusal(`${path} does not hold ${NAMES.join(' and ')}. Restore it, or delete it to start with new keys.`);
  return { SESSION_SIGNING_KEY, ENCRYPTION_KEY };
}

function makeKeys(path: string): void {
  const draft = `${path}.${process.pid}`;
  const lines = NAMES.map((name) => `${name}=${randomBytes(32).toString('base64url')}\n`);
  writeFileSync(draft, lines.join(''), { mode: 0o600 });
  try {
    // A link never replaces: of two first starts one wins, and both go on with its keys.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
