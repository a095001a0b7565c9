import { isObject } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { keysOf } from '../../lib/json-pointer.ts';

const REFERENCES_MAX = 8;

/** Resolves a reference within the document; if it leads nowhere, a schema without rules that says so. */
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

/** Undefined when the reference is malformed. */
function keysIn(reference: string): string[] | undefined {
  try {
    return keysOf(decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined;
  }
}

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;
