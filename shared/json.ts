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
/** More than any real schema has: parts that refer to each other multiply. */
const PARTS_MAX = 500;

/** Resolves references within the document. A broken one becomes a schema without rules whose description says so. */
export function resolved(schema: unknown, root: JsonSchema): JsonSchema {
  let current = isObject(schema) ? schema : {};
  for (let steps = 0; steps < REFERENCES_MAX; steps += 1) {
    const { $ref, title, description, default: value } = current;
    if (typeof $ref !== 'string') break;
    const target = attempt(() => targetOf($ref.replace(text(root['$id']), ''), root));
    current = isObject(target) ? target : { description: `The schema refers to “${$ref}”, which does not exist.` };
    // A reference to a shared definition may have annotations of its own.
    const own = Object.entries({ title, description, default: value }).filter(([, one]) => one !== undefined);
    if (own.length > 0) current = { ...current, ...Object.fromEntries(own) };
  }
  return current;
}

/** @param reference a JSON pointer, an anchor or an id */
const targetOf = (reference: string, root: JsonSchema): unknown =>
  /^#?$|^#\//.test(reference)
    ? keysOf(decodeURIComponent(reference)).reduce<unknown>((part, key) => (Object(part) as JsonObject)[key], root)
    : objectsIn(root).find(({ $anchor, $id, id }) => [`#${$anchor}`, $id, id].includes(reference));

const objectsIn = (part: unknown): JsonObject[] =>
  typeof part === 'object' ? [part, ...Object.values(part ?? {}).flatMap(objectsIn)].filter(isObject) : [];

/**
 * Like `resolved`, but with the fields of all parts: of `allOf`, and of the branches (`oneOf`, `anyOf`, `if`,
 * `dependencies`) that constants in `value` choose. Without a value: the fields of all branches, none of them required.
 */
export function whole(
  schema: unknown,
  root: JsonSchema,
  value?: unknown,
  above: readonly unknown[] = [],
  limit = { parts: PARTS_MAX },
): JsonSchema {
  limit.parts -= 1;
  if (above.includes(schema) || limit.parts < 0) return {};
  const part = (one: unknown): JsonSchema => whole(one, root, value, [...above, schema], limit);
  const { allOf, ...own } = resolved(schema, root);
  const parts = [...listIn(allOf).map(part), own];
  const base = parts.map(propertiesOf).reduce((all, one) => merged(all, one, one, root));
  const branches = branchesOf(own, base, root, part).flatMap(([condition, one]) => {
    const isMet = isObject(value) && condition !== undefined ? meets(condition, value, root) : undefined;
    return isMet === false ? [] : [isMet ? one : { properties: propertiesOf(one) }];
  });
  const properties = branches.map(propertiesOf).reduce((all, one) => merged(all, one, all, root), base);
  const required = [...parts, ...branches].flatMap((one) => texts(one['required']));
  return Object.assign({}, ...parts, { required }, Object.keys(properties).length > 0 && { properties });
}

const propertiesOf = (schema: unknown): JsonObject => membersOf(membersOf(schema)['properties']);
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const pick = (object: JsonObject, isPicked: (key: string, one: unknown) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key, one]) => isPicked(key, one)));

/** The properties of both. In a property of both, keywords and constants of `stronger` have precedence. */
function merged(first: JsonObject, second: JsonObject, stronger: JsonObject, root: JsonSchema): JsonObject {
  const weaker = stronger === first ? second : first;
  const both = Object.keys(first).filter((key) => Object.hasOwn(second, key));
  const parts = both.map((key): [string, unknown] => {
    const [a, b] = [weaker[key], stronger[key]];
    return [key, [a, b].every((one) => constantsOf(one, root).length > 0) ? b : { allOf: [a, b] }];
  });
  return { ...first, ...pick(second, (_key, one) => one !== false), ...Object.fromEntries(parts) };
}

/** The branches of an object, each with its condition; undefined if it has none. */
function branchesOf(own: JsonSchema, base: JsonObject, root: JsonSchema, part: (one: unknown) => JsonSchema): Branch[] {
  const { if: condition, then, else: otherwise, oneOf, anyOf } = own;
  return [
    ...['dependencies', 'dependentSchemas', 'dependentRequired']
      .flatMap((keyword) => Object.entries(membersOf(own[keyword])))
      .map(([key, one]): Branch => [{ required: [key] }, part(Array.isArray(one) ? { required: one } : one)]),
    [condition, part(then)],
    [condition === undefined ? undefined : { not: condition }, part(otherwise)],
    ...[oneOf, anyOf].flatMap((list) => alternatives(listIn(list).map(part), base, root)),
  ];
}

type Branch = [condition: unknown, JsonSchema];

/** The properties whose constants decide between alternatives, which are always fields; then the alternatives. */
function alternatives(parts: JsonSchema[], base: JsonObject, root: JsonSchema): Branch[] {
  const deciding = parts.map((part) => {
    const limited = pick(propertiesOf(part), (_key, one) => constantsOf(one, root).length > 0);
    const single = pick(limited, (_key, one) => constantsOf(one, root).length === 1);
    return Object.keys(single).length > 0 ? single : limited;
  });
  const choices = [...new Set(deciding.flatMap(Object.keys))].flatMap((key) => {
    const oneOf = deciding.flatMap((one) => (Object.hasOwn(one, key) ? [one[key]] : []));
    // Constants of some alternatives do not limit a property that others leave open.
    return Object.hasOwn(base, key) && oneOf.length < parts.length ? [] : [[key, { oneOf }]];
  });
  const branches = parts.map((part, index): Branch => {
    const { [index]: properties = {} } = deciding;
    const anyOf = Object.keys(properties).map((key) => ({ required: [key] }));
    const others = pick(propertiesOf(part), (key) => !Object.hasOwn(properties, key));
    return [anyOf.length > 0 ? { properties, anyOf } : undefined, { ...part, properties: others }];
  });
  return [[true, { properties: Object.fromEntries(choices) }], ...branches];
}

/** Whether a value meets a condition; undefined for conditions that only the full check can decide. */
function meets(condition: unknown, value: unknown, root: JsonSchema, depth = 0): boolean | undefined {
  if (typeof condition === 'boolean') return condition;
  if (depth === REFERENCES_MAX / 2) return undefined;
  const constants = constantsOf(condition, root);
  if (constants.length > 0) return constants.some((one) => JSON.stringify(one.const) === JSON.stringify(value));
  const { properties, required, allOf, anyOf, not: excluded = false, type, ...others } = resolved(condition, root);
  const has = (key: string): boolean => isObject(value) && Object.hasOwn(value, key);
  const each = (list: unknown) => listIn(list).map((one) => meets(one, value, root, depth + 1));
  return all([
    ...texts(required).map(has),
    ...Object.entries(membersOf(properties)).map(
      ([key, one]) => !has(key) || meets(one, membersOf(value)[key], root, depth + 1),
    ),
    ...each(allOf),
    anyOf === undefined || not(all(each(anyOf).map(not))),
    not(meets(excluded, value, root, depth + 1)),
    Object.keys(others).length === 0 || undefined,
  ]);
}

const all = (met: (boolean | undefined)[]): boolean | undefined =>
  met.includes(false) ? false : met.includes(undefined) ? undefined : true;
const not = (met: boolean | undefined): boolean | undefined => (met === undefined ? undefined : !met);

export interface Constant {
  const: unknown;
  title?: unknown;
}

/** The only values that a schema allows; empty if it allows others. */
export function constantsOf(schema: unknown, root: JsonSchema, depth = 0): Constant[] {
  if (depth === REFERENCES_MAX / 2) return [];
  const here = resolved(schema, root);
  // An alternative's title names its constant; any other is the title of the field.
  if ('const' in here) return [{ const: here['const'], title: depth > 0 ? here['title'] : undefined }];
  if (Array.isArray(here['enum'])) return here['enum'].map((value) => ({ const: value }));
  if (here['type'] === 'null') return [{ const: null }];
  const constants = (list: unknown) => listIn(list).map((one) => constantsOf(one, root, depth + 1));
  const alternatives = [...constants(here['oneOf']), ...constants(here['anyOf'])];
  if (alternatives.length > 0 && alternatives.every((one) => one.length > 0)) return alternatives.flat();
  return constants(here['allOf']).findLast((one) => one.length > 0) ?? [];
}

/** The reference tokens of a JSON pointer (RFC 6901). */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The schema of the traits within an identity schema. */
export const traitsIn = (schema: JsonSchema): JsonSchema => whole(propertiesOf(schema)['traits'], schema);

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
