import { isObject } from './json.ts';

const IDENTIFIERS = ['email', 'username', 'phone', 'phone_number'] as const;

/** The person's sign-in identifier according to the traits; undefined if none of the usual traits exists. */
export function identifierOf(traits: Record<string, unknown>): string | undefined {
  for (const name of IDENTIFIERS) {
    const value = traits[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The person's name from one trait or several; undefined if there are none. */
export function nameOf(traits: Record<string, unknown>): string | undefined {
  const { name } = traits;
  if (typeof name === 'string') return name.trim() || undefined;
  const parts = isObject(name) ? name : traits;
  const words = [
    parts['first'] ?? parts['first_name'] ?? parts['given_name'],
    parts['last'] ?? parts['last_name'] ?? parts['family_name'],
  ]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .trim();
  return words || undefined;
}
