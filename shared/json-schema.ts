import { isObject, type JsonObject, texts } from './json.ts';

/** A JSON Schema; of an identity's, the schema of the traits is its property `traits`. */
export type JsonSchema = JsonObject;

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
  const properties = Object.assign({}, ...parts.map((part) => part['properties']));
  return Object.assign({}, ...parts, {
    ...(Object.keys(properties).length > 0 && { properties }),
    required: parts.flatMap((part) => texts(part['required'])),
  });
}

/** Undefined when the reference is malformed. */
function keysIn(reference: string): string[] | undefined {
  try {
    const keys = decodeURIComponent(reference.slice(2)).split('/');
    return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

/** The schema of the traits in that of an identity. */
export const traitsIn = (schema: JsonSchema): JsonSchema =>
  whole(isObject(schema['properties']) ? schema['properties']['traits'] : undefined, schema);

/** The credentials for which a trait is an identifier, by Kratos' extension of its schema. */
export function identifierIn(schema: JsonSchema): string[] {
  return credentialsIn(schema)
    .filter(([, by]) => by['identifier'] === true || typeof by['via'] === 'string')
    .map(([type]) => type);
}

/** Whether a trait is what a passkey is called by, which is the person's name. */
export const isDisplayName = (schema: JsonSchema): boolean =>
  credentialsIn(schema).some(([, by]) => by['display_name'] === true);

function credentialsIn(schema: JsonSchema): [type: string, by: JsonObject][] {
  const extension = schema['ory.sh/kratos'];
  const credentials = isObject(extension) && isObject(extension['credentials']) ? extension['credentials'] : {};
  return Object.entries(credentials).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}
