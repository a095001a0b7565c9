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

/** References in a row, and parts (`allOf`, `oneOf`) in parts, which may refer to each other. */
const DEPTH_MAX = 5;

/** Resolves references within the document. A broken one becomes a schema without rules whose description says so. */
export function resolved(schema: unknown, root: JsonSchema, depth = 0): JsonSchema {
  const { $ref, ...own } = membersOf(schema);
  if (typeof $ref !== 'string' || depth === DEPTH_MAX) return membersOf(schema);
  const found = attempt(() => targetOf($ref.replace(text(root['$id']), ''), root));
  const target = isObject(found) ? found : { description: `The schema refers to “${$ref}”, which does not exist.` };
  // A reference to a shared definition may have annotations of its own.
  const annotations = pick(own, (key) => /^(?:title|description|default)$/.test(key));
  return resolved({ ...target, ...annotations }, root, depth + 1);
}

/** @param reference a JSON pointer, an anchor or an id */
const targetOf = (reference: string, root: JsonSchema): unknown =>
  /^#?$|^#\//.test(reference)
    ? keysOf(decodeURIComponent(reference)).reduce<unknown>((part, key) => membersOf(part)[key], root)
    : objectsIn(root).find(({ $anchor, $id, id }) => [`#${$anchor}`, $id, id].includes(reference));

const objectsIn = (part: unknown): JsonObject[] =>
  typeof part === 'object' ? [part, ...Object.values(part ?? {}).flatMap(objectsIn)].filter(isObject) : [];

/** The members that meet a condition. */
export const pick = (object: JsonObject, isPicked: (key: string, member: unknown) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key, member]) => isPicked(key, member)));

/**
 * Like `resolved`, but with the fields of all parts: of `allOf`, and of the branches (`oneOf`, `anyOf`, `if`,
 * `dependencies`) that constants in `value` choose. Without a value: the fields of all branches, none of them required.
 */
export function whole(schema: unknown, root: JsonSchema, value?: unknown, depth = 0): JsonSchema {
  if (depth === DEPTH_MAX || !isObject(schema)) return {};
  const part = (one: unknown): JsonSchema => whole(one, root, value, depth + 1);
  const met = (condition: unknown) => meets(condition, value, root);
  const { allOf, ...own } = resolved(schema, root);
  const { if: condition, then, else: otherwise, dependencies, oneOf, anyOf, properties: members } = own;
  // Most schemas are of one text, and a file of identities has many.
  if ([members, allOf, condition, dependencies, oneOf, anyOf].every((keyword) => keyword === undefined)) return own;
  const parts = [own, ...listIn(allOf).map(part)];
  const branches: Branch[] = [
    ...[oneOf, anyOf].flatMap((list) => alternatives(listIn(list).map(part), root, value)),
    [met(condition), part(then)],
    [met({ not: condition }), part(otherwise)],
    ...Object.entries(membersOf(dependencies)).map(
      ([key, one]): Branch => [met({ required: [key] }), part(Array.isArray(one) ? { required: one } : one)],
    ),
  ];
  const chosen = [...parts, ...branches.flatMap(([isChosen, one]) => (isChosen ? [one] : []))];
  const possible = branches.flatMap(([isChosen, one]) => (isChosen === undefined ? [propertiesOf(one)] : []));
  const fields = chosen.map(propertiesOf).reduce(merged);
  const properties = Object.assign({ ...fields }, ...possible, fields);
  const required = chosen.flatMap((one) => texts(one['required']));
  return Object.assign({}, ...parts.toReversed(), { required }, Object.keys(properties).length > 0 && { properties });
}

/** A branch, and whether the value chooses it; undefined if only the full check can decide. */
type Branch = [isChosen: boolean | undefined, JsonSchema];

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const propertiesOf = (schema: unknown): JsonObject =>
  pick(membersOf(membersOf(schema)['properties']), (_key, one) => one !== false);

/** The properties of both; a property of both has the keywords of both, those of the first taking precedence. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const both = Object.keys(second).filter((key) => Object.hasOwn(first, key) && first[key] !== second[key]);
  const parts = both.map((key) => [key, { allOf: [first[key], second[key]] }]);
  return { ...first, ...second, ...Object.fromEntries(parts) };
}

/** The property whose constants choose one of the alternatives, then those that its value leaves. */
function alternatives(parts: JsonSchema[], root: JsonSchema, value: unknown): Branch[] {
  const constants = (one: JsonSchema, key: string) => constantsOf(propertiesOf(one)[key], root).map((c) => c.const);
  const keys = parts.flatMap((one) => Object.keys(propertiesOf(one)));
  const choosing =
    keys.find((key) => parts.every((one) => constants(one, key).length === 1)) ??
    keys.find((key) => parts.every((one) => constants(one, key).length > 0));
  const isOnly = parts.length === 1;
  if (choosing === undefined || isOnly)
    return parts.map((one) => [isOnly || (meets({ properties: propertiesOf(one) }, value, root) && undefined), one]);
  const all = { enum: [...new Set(parts.flatMap((one) => constants(one, choosing)))] };
  const left = parts
    .filter((one) => value === undefined || constants(one, choosing).includes(membersOf(value)[choosing]))
    .map((one) => ({ ...one, properties: pick(propertiesOf(one), (key) => key !== choosing) }));
  return [[true, { properties: { [choosing]: all } }], ...alternatives(left, root, value)];
}

/** Whether a value meets a condition; undefined for conditions that only the full check can decide. */
function meets(condition: unknown, value: unknown, root: JsonSchema): boolean | undefined {
  if (value === undefined) return undefined;
  const constants = constantsOf(condition, root);
  if (constants.length > 0) return constants.some((one) => JSON.stringify(one.const) === JSON.stringify(value));
  const { properties, required, not, type, ...others } = resolved(condition, root);
  const has = (key: string): boolean => Object.hasOwn(membersOf(value), key);
  const unmet = not === undefined ? false : meets(not, value, root);
  const met = [
    ...texts(required).map(has),
    ...Object.entries(membersOf(properties)).map(([key, one]) => !has(key) || meets(one, membersOf(value)[key], root)),
    unmet === undefined ? undefined : !unmet,
    Object.keys(others).length === 0 || undefined,
  ];
  return met.includes(false) ? false : met.includes(undefined) ? undefined : true;
}

/** The only values that a schema allows, some with a title; empty if it allows others. */
export function constantsOf(schema: unknown, root: JsonSchema, depth = 0): { const: unknown; title?: unknown }[] {
  if (depth === DEPTH_MAX) return [];
  const here = resolved(schema, root);
  const constants = (list: unknown) => listIn(list).map((one) => constantsOf(one, root, depth + 1));
  const lists = [...constants(here['oneOf']), ...constants(here['anyOf'])];
  // These before `const`: a branch repeats the constant that chooses it.
  if (lists.length > 0 && lists.every((one) => one.length > 0)) return lists.flat();
  if (Array.isArray(here['enum'])) return here['enum'].map((value) => ({ const: value }));
  // An alternative's title names its constant; any other is the title of the field.
  if ('const' in here) return [{ const: here['const'], title: depth > 0 ? here['title'] : undefined }];
  if (here['type'] === 'null') return [{ const: null }];
  return constants(here['allOf']).find((one) => one.length > 0) ?? [];
}

/** The reference tokens of a JSON pointer (RFC 6901). Like Kratos and Hydra, ignores anything before the first slash. */
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
  const credentials = membersOf(membersOf(schema['ory.sh/kratos'])['credentials']);
  return Object.entries(credentials).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}
