import {
  constantsOf,
  isObject,
  type JsonObject,
  type JsonSchema,
  membersOf,
  pick,
  texts,
  whole,
} from '../../shared/json.ts';
import { numberText } from '../lib/json.ts';
import { sameJson, valueAt, withMember } from './member-changes.ts';

/** Maximum nesting of field groups; deeper members are edited as JSON. */
export const DEPTH_MAX = 4;

/** The kind of field for a trait; `json` if no simple kind fits. */
export type TraitKind = 'object' | 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json';

/** Whether each kind of field preserves a value. Text inputs drop line breaks, text areas drop carriage returns. */
const FITS: Record<TraitKind, (value: unknown, schema: JsonSchema, root: JsonSchema) => boolean> = {
  object: (value) => isObject(value) && numberText(value) === undefined,
  text: (value) => typeof value === 'string' && (!value.includes('\r') || !/\r(?!\n)|(?<!\r)\n/.test(value)),
  number: (value) => numberText(value) !== undefined,
  boolean: (value) => typeof value === 'boolean',
  choice: (value, schema, root) => constantsOf(schema, root).some((one) => sameJson(one.const, value)),
  list: (value) =>
    Array.isArray(value) && value.every((item) => typeof item !== 'object' || numberText(item) !== undefined),
  json: () => true,
};

/** The first kind that fits schema and value: displaying a value must not change it. */
export function traitKind(schema: JsonSchema, value: unknown, root: JsonSchema): TraitKind {
  const kinds = kindsOf(schema, root);
  if (value === undefined || value === null) return kinds[0] ?? 'json';
  return kinds.find((kind) => FITS[kind](value, schema, root)) ?? 'json';
}

/** Keywords that say which type is meant, if `type` is absent. */
const KEYWORDS: Record<string, string[]> = {
  object: ['properties', 'additionalProperties', 'patternProperties', 'minProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['format', 'pattern', 'minLength', 'maxLength', 'ory.sh/kratos'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const BY_TYPE: Record<string, TraitKind> = { string: 'text', number: 'number', integer: 'number', boolean: 'boolean' };
const SIMPLE = ['text', 'number', 'boolean'] as const;

/** The kinds that fit a schema, besides `json`; of several, text comes first. */
function kindsOf(schema: JsonSchema, root: JsonSchema, isInList = false): TraitKind[] {
  if (constantsOf(schema, root).length > 0) return ['choice'];
  const types = typesOf(schema, root);
  if (types.length === 1 && types[0] === 'object') return isObject(schema.properties) ? ['object'] : [];
  if (types.length === 1 && types[0] === 'array') {
    // No nested lists: a recursive one would never end.
    const [item] = isInList || Array.isArray(schema.items) ? [] : kindsOf(whole(schema.items, root), root, true);
    return item === 'text' || item === 'number' || item === 'choice' ? ['list'] : [];
  }
  return SIMPLE.filter((kind) => types.some((type) => BY_TYPE[type] === kind));
}

/** The types that a schema names, or otherwise those of its constants, alternatives or other keywords. */
function typesOf(schema: JsonSchema, root: JsonSchema, depth = 0): string[] {
  const constants = constantsOf(schema, root).map(({ const: value }) => (value === null ? 'null' : typeof value));
  const alternatives = depth < DEPTH_MAX ? alternativesOf(schema, root) : [];
  const found = [
    texts([schema.type].flat()),
    constants,
    alternatives.flatMap((one) => typesOf(one, root, depth + 1)),
    Object.keys(KEYWORDS).filter((type) => KEYWORDS[type]?.some((keyword) => keyword in schema)),
  ].map((types) => types.filter((type) => type !== 'null'));
  return [...new Set(found.find((types) => types.length > 0))];
}

const alternativesOf = ({ anyOf, oneOf }: JsonSchema, root: JsonSchema): JsonSchema[] =>
  [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.map((one) => whole(one, root)) : []));

/** The values of `const` and `enum`, also of alternatives; empty if the schema allows other values, too. */
export const choicesOf = (schema: JsonSchema, root: JsonSchema): { value: unknown; label: string }[] =>
  constantsOf(schema, root).map((one) => ({ value: one.const, label: titleOf({ ...one }, labelOf(one.const)) }));

export function labelOf(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === '') return '(empty)';
  return typeof value === 'string' && value.trim() !== '' ? value : JSON.stringify(value);
}

/** Suggestions for a text field: constants in a schema that also allows other text. */
export const suggestionsOf = (schema: JsonSchema, root: JsonSchema): string[] =>
  alternativesOf(schema, root).flatMap((one) => texts(constantsOf(one, root).map((constant) => constant.const)));

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;

/** Labels of members, in order: titles, or names where titles are not unique. */
export function labelsOf(members: readonly (readonly [key: string, schema: JsonSchema, ...unknown[]])[]): string[] {
  const titles = members.map(([key, schema]) => titleOf(schema, key));
  return members.map(([key], index) =>
    titles.filter((title) => title === titles[index]).length > 1 ? key : (titles[index] ?? key),
  );
}

const fieldsOf = (schema: unknown, root: JsonSchema, value: unknown): [key: string, schema: unknown][] =>
  Object.entries(membersOf(whole(schema, root, value).properties));

/** The value with the defaults of absent members, also in branches that it chooses. */
export function withDefaults(schema: unknown, root: JsonSchema, value?: unknown, depth = 0): unknown {
  const start = value ?? whole(schema, root).default ?? undefined;
  if (depth > DEPTH_MAX || (start !== undefined && !isObject(start))) return start;
  const required = texts(whole(schema, root, start ?? {}).required);
  const filled = fieldsOf(schema, root, start ?? {}).reduce<unknown>((all, [key, one]) => {
    const before = valueAt(all, [key]);
    const member = withDefaults(one, root, before, depth + 1);
    // A default must not make an optional group incomplete.
    const isIncomplete =
      before === undefined &&
      !required.includes(key) &&
      isObject(member) &&
      texts(whole(one, root, member).required).some((name) => !Object.hasOwn(member, name));
    return member === undefined || isIncomplete ? all : withMember(all, [key], member);
  }, start);
  return sameJson(filled, start) ? start : withDefaults(schema, root, filled, depth);
}

/**
 * An object after a change of a member: without the members of a branch that is no longer chosen, and with the defaults
 * of one that is chosen now. Members that had no field at first stay.
 * @param start the object before the first change
 * @param hidden members that were left out before, which return with their branch
 */
export function withTrait(
  schema: unknown,
  root: JsonSchema,
  { start, value, hidden }: Record<'start' | 'value' | 'hidden', JsonObject>,
  [key, changed]: readonly [key: string, changed: unknown],
): JsonObject {
  const namesIn = (object: JsonObject) => new Set(fieldsOf(schema, root, object).map(([name]) => name));
  const first = namesIn(start);
  const isLeft = (name: string): boolean => known.has(name) && (first.has(name) || !Object.hasOwn(start, name));
  const known = namesIn(value);
  // What is left out may have chosen another branch.
  const withoutLeft = (object: JsonObject): JsonObject => {
    const names = namesIn(object);
    const rest = pick(object, (name) => names.has(name) || !isLeft(name));
    return sameJson(rest, object) ? object : withoutLeft(rest);
  };
  const remaining = withoutLeft(membersOf(withMember(value, [key], changed)));
  const names = namesIn(remaining);
  const all = withDefaults(schema, root, { ...pick(hidden, (name) => names.has(name)), ...remaining });
  return { ...pick(membersOf(all), (name) => !known.has(name)), ...remaining };
}

/** A value as the schema allows it. */
export function exampleOf(schema: unknown, root: JsonSchema, depth = 0): unknown {
  const here = whole(schema, root);
  const [given = here.default ?? constantsOf(here, root)[0]?.const] = [here.examples].flat();
  if (given !== undefined) return given;
  const [type = ''] = typesOf(here, root);
  const within = (one: unknown): unknown => exampleOf(one, root, depth + 1);
  if (type === 'array' && depth < DEPTH_MAX) return [here.items].flat().map(within);
  if (type === 'object' && depth < DEPTH_MAX)
    return Object.fromEntries(fieldsOf(schema, root, undefined).map(([key, one]) => [key, within(one)]));
  return { array: [], boolean: true, integer: 1, number: 1, object: {} }[type] ?? 'text';
}
