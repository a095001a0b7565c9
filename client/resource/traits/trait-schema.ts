import type { JsonSchema } from '../../api/identity-schemas.ts';
import { isObject } from '../../json-object.ts';
import { keysOf } from '../../json-pointer.ts';

const REFERENCES_MAX = 8;

/** The schema that a reference within the same document leads to. */
export function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let current = isObject(schema) ? schema : {};
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const { $ref } = current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) break;
    const target = keysOf(decodeURIComponent($ref.slice(1))).reduce<unknown>(
      (parent, key) => (isObject(parent) ? parent[key] : undefined),
      root,
    );
    current = isObject(target) ? target : {};
  }
  return current;
}

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;
