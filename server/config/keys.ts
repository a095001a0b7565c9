import type { KeyRing } from './config.ts';
import { KEY_VARIABLES } from './variables.ts';

const KEY_MIN_BYTES = 32;
const KEY_MIN_DIFFERENT_BYTES = 8;

/**
 * Reads both key rings. A key is the variable's UTF-8 bytes, never decoded; all keys must differ.
 * @param refuse reports a problem with a variable
 */
export function readKeys(
  read: (name: (typeof KEY_VARIABLES)[number]) => string | undefined,
  production: boolean,
  refuse: (name: string, problem: string) => void,
): { sessionKeys: KeyRing; encryptionKeys: KeyRing } {
  const keys = new Map<string, string>();
  for (const name of KEY_VARIABLES) {
    const value = read(name);
    if (value === undefined || value === '') {
      if (!name.endsWith('_PREVIOUS')) refuse(name, 'is required');
      continue;
    }
    const bytes = Buffer.from(value, 'utf8');
    if (bytes.length < KEY_MIN_BYTES) refuse(name, `must have at least ${KEY_MIN_BYTES} bytes`);
    else if (production && new Set(bytes).size < KEY_MIN_DIFFERENT_BYTES)
      refuse(name, `must have at least ${KEY_MIN_DIFFERENT_BYTES} different bytes`);
    const twin = [...keys].find(([, other]) => other === value);
    if (twin !== undefined) refuse(name, `must differ from ${twin[0]}`);
    keys.set(name, value);
  }
  const ring = (name: string): KeyRing => ({
    current: keys.get(name) ?? '',
    previous: keys.get(`${name}_PREVIOUS`),
  });
  return { sessionKeys: ring('SESSION_SIGNING_KEY'), encryptionKeys: ring('ENCRYPTION_KEY') };
}
