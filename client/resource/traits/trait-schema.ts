import { isObject } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { keysOf } from '../../lib/json-pointer.ts';

const REFERENCES_MAX = 8;

/** The schema that a reference within the same document leads to; one without rules, which says so, where it leads nowhere. */
export function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let current = isObject(schema) ? schema : {};
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const { $ref } = current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) break;
    const target = keysIn($ref)?.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), root);
    current = isObject(target) ? target : { description: `The schema refers to “${$ref}”, which is not in it.` };
  }
  return current;
}

/** Undefined where the reference's escapes are broken. */
function keysIn(reference: string): string[] | undefined {
  try {
    return keysOf(decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined;
  }
}

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;
