import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Deployment } from '../../shared/deployment.ts';
import { Refusal } from './refusal.ts';

const NAMES = ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY'] as const;
export type Keys = Record<(typeof NAMES)[number], string>;

/**
 * The two keys of a deployment on this machine, generated at the first start. If the file is deleted, stored encrypted
 * settings are lost.
 */
export function keysOf(dataDirectory: string, deployment: Deployment): Keys {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const path = join(dataDirectory, `keys-${deployment}.env`);
  if (!existsSync(path)) makeKeys(path);
  const { SESSION_SIGNING_KEY, ENCRYPTION_KEY } = parseEnv(readFileSync(path, 'utf8'));
  if (!SESSION_SIGNING_KEY || !ENCRYPTION_KEY)
    throw new Refusal(
      `${path} does not contain ${NAMES.join(' and ')}. Restore it, or delete it to start with new keys.`,
    );
  return { SESSION_SIGNING_KEY, ENCRYPTION_KEY };
}

function makeKeys(path: string): void {
  const draft = `${path}.${process.pid}`;
  const lines = NAMES.map((name) => `${name}=${randomBytes(32).toString('base64url')}\n`);
  writeFileSync(draft, lines.join(''), { mode: 0o600 });
  try {
    // linkSync never overwrites: of two concurrent first starts one wins, and both use its keys.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
