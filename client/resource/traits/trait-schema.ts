import { isObject, texts } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { keysOf } from '../../lib/json-pointer.ts';

const REFERENCES_MAX = 8;

/** Resolves a reference within the document; if it leads nowhere, a schema without rules that says so. */
export function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let current = isObject(schema) ? schema : {};
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const { $ref, title } = current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) break;
    const target = keysIn($ref)?.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), root);
    current = isObject(target) ? target : { description: `The schema refers to “${$ref}”, which is not in it.` };
    // Whoever refers to a shared definition may call it by another name.
    if (typeof title === 'string') current = { ...current, title };
  }
  return current;
}

/** The same with all parts of `allOf` in one: a value has to fit each of them. */
export function whole(schema: unknown, root: JsonSchema, depth = 0): JsonSchema {
  const { allOf, ...own } = resolved(schema, root);
  if (!Array.isArray(allOf) || depth === REFERENCES_MAX) return resolved(schema, root);
  const parts = [...allOf.map((part) => whole(part, root, depth + 1)), own];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return Object.assign({}, ...parts, {
    ...(Object.keys(properties).length > 0 && { properties }),
    required: parts.flatMap(({ required }) => texts(required)),
  });
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

/** What members are called, in their order: by their titles, and by their own names where a title would stand twice. */
export function labelsOf(members: readonly (readonly [key: string, schema: JsonSchema])[]): string[] {
  const titles = members.map(([key, schema]) => titleOf(schema, key));
  return members.map(([key], index) =>
    titles.filter((title) => title === titles[index]).length > 1 ? key : (titles[index] ?? key),
  );
}
