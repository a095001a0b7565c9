export type JsonObject = Record<string, unknown>;

/** A JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object in untrusted JSON; none for any other value. */
export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The result of `parse`; undefined if it throws. */
export function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A string in untrusted JSON; empty for any other value. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The strings of a list in untrusted JSON; none for any other value. */
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Parses a Go timestamp (RFC 3339, 0 to 9 fractional digits) to milliseconds since the epoch; 0 for anything else. */
export function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** A UUID in its usual notation (RFC 9562, section 4), as part of a case-insensitive regular expression. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const WHOLE = new RegExp(`^${UUID}$`, 'i');

export const isUuid = (text: string): boolean => WHOLE.test(text);

/** A JSON Schema. In an identity schema, the property `traits` has the schema of the traits. */
export type JsonSchema = JsonObject;

const REFERENCES_MAX = 8;

/** Resolves references within the document. A broken one becomes a schema without rules whose description says so. */
export function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let current = isObject(schema) ? schema : {};
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const { $ref, title } = current;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) break;
    const keys = attempt(() => keysOf(decodeURIComponent($ref)));
    const target = keys?.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), root);
    current = isObject(target) ? target : { description: `The schema refers to “${$ref}”, which does not exist.` };
    // A reference to a shared definition may give it another title.
    if (typeof title === 'string') current = { ...current, title };
  }
  return current;
}

/** Like `resolved`, but merges all parts of `allOf` into one schema. */
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

/** The reference tokens of a JSON pointer (RFC 6901). */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The schema of the traits within an identity schema. */
export const traitsIn = (schema: JsonSchema): JsonSchema =>
  whole(isObject(schema['properties']) ? schema['properties']['traits'] : undefined, schema);

/** The credential types for which a trait is an identifier, according to Kratos' schema extension. */
export function identifierIn(schema: JsonSchema): string[] {
  return credentialsIn(schema)
    .filter(([, by]) => by['identifier'] === true || typeof by['via'] === 'string')
    .map(([type]) => type);
}

/** Whether a trait is marked as the display name of passkeys, which is the person's name. */
export const isDisplayName = (schema: JsonSchema): boolean =>
  credentialsIn(schema).some(([, by]) => by['display_name'] === true);

function credentialsIn(schema: JsonSchema): [type: string, by: JsonObject][] {
  const extension = schema['ory.sh/kratos'];
  const credentials = isObject(extension) && isObject(extension['credentials']) ? extension['credentials'] : {};
  return Object.entries(credentials).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}
