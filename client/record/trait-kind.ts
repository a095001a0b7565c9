import { isObject, type JsonSchema, whole } from '../../shared/json.ts';
import { numberText } from '../lib/json.ts';

/** The kind of field for a trait; `json` if no simple kind fits. */
export type TraitKind = 'object' | 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json';

/** Whether each kind of field preserves a value. Text inputs drop line breaks, text areas drop carriage returns. */
const FITS: Record<TraitKind, (value: unknown, schema: JsonSchema) => boolean> = {
  object: (value) => isObject(value) && numberText(value) === undefined,
  text: (value) => typeof value === 'string' && (!value.includes('\r') || !/\r(?!\n)|(?<!\r)\n/.test(value)),
  number: (value) => numberText(value) !== undefined,
  boolean: (value) => typeof value === 'boolean',
  choice: (value, schema) => choicesOf(schema).some((choice) => choice.value === value),
  list: (value) =>
    Array.isArray(value) && value.every((item) => typeof item !== 'object' || numberText(item) !== undefined),
  json: () => true,
};

/** The first kind that fits schema and value: displaying a value must not change it. */
export function traitKind(schema: JsonSchema, value: unknown, root: JsonSchema): TraitKind {
  const kinds = kindsOf(schema, root);
  if (value === undefined || value === null) return kinds[0] ?? 'json';
  return kinds.find((kind) => FITS[kind](value, schema)) ?? 'json';
}

const BY_TYPE: Record<string, TraitKind> = { string: 'text', number: 'number', integer: 'number', boolean: 'boolean' };
const SIMPLE = ['text', 'number', 'boolean'] as const;

/** The kinds that fit a schema, besides `json`; of several, text comes first. */
function kindsOf(schema: JsonSchema, root: JsonSchema, isInList = false): TraitKind[] {
  if (choicesOf(schema).length > 0) return ['choice'];
  const types = typesOf(schema, root);
  if (types.length === 1 && types[0] === 'object')
    return isObject(schema.properties) && !alternativesOf(schema, root).some(({ properties }) => isObject(properties))
      ? ['object']
      : [];
  if (types.length === 1 && types[0] === 'array') {
    // No nested lists: a recursive one would never end.
    const [item] = isInList ? [] : kindsOf(whole(schema.items, root), root, true);
    return item === 'text' || item === 'number' || item === 'choice' ? ['list'] : [];
  }
  return SIMPLE.filter((kind) => types.some((type) => BY_TYPE[type] === kind));
}

const typesIn = ({ type }: JsonSchema): string[] =>
  [type].flat().filter((one): one is string => typeof one === 'string' && one !== 'null');

/** The types that a schema names, or otherwise those of its alternatives. */
function typesOf(schema: JsonSchema, root: JsonSchema): string[] {
  const own = typesIn(schema);
  if (own.length > 0) return own;
  const others = alternativesOf(schema, root);
  return [...new Set(others.flatMap((one) => [...typesIn(one), ...choicesOf(one).map(({ value }) => typeof value)]))];
}

const alternativesOf = ({ anyOf, oneOf }: JsonSchema, root: JsonSchema): JsonSchema[] =>
  [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.map((one) => whole(one, root)) : []));

export interface Choice {
  value: string | number | boolean | null;
  label: string;
}

/** The values of `enum`, or the constants of `oneOf` or `anyOf`; empty if the schema allows other values, too. */
export function choicesOf({ enum: values, oneOf, anyOf }: JsonSchema): Choice[] {
  const alternatives = oneOf ?? anyOf;
  const entries = Array.isArray(values)
    ? values.map((value) => ({ const: value }))
    : Array.isArray(alternatives)
      ? alternatives.flatMap(constantsIn)
      : [];
  const choices = entries.flatMap((entry: { const?: unknown; title?: unknown }): Choice[] => {
    const value = entry.const;
    if (value !== null && typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return [];
    return [{ value, label: typeof entry.title === 'string' ? entry.title : String(value ?? 'None') }];
  });
  return choices.length === entries.length && choices.some(({ value }) => value !== null) ? choices : [];
}

/** The constants in an alternative; the alternative itself if it allows other values. */
function constantsIn(entry: unknown): { const?: unknown; title?: unknown }[] {
  if (!isObject(entry)) return [{}];
  if (Array.isArray(entry.enum)) return entry.enum.map((value) => ({ const: value }));
  return [entry.type === 'null' ? { const: null } : entry];
}

/** Suggestions for a text field: constants in a schema that also allows other text. */
export const suggestionsOf = (schema: JsonSchema, root: JsonSchema): string[] =>
  alternativesOf(schema, root).flatMap((one) =>
    choicesOf(one).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  );

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;

/** Labels of members, in order: titles, or names where titles are not unique. */
export function labelsOf(members: readonly (readonly [key: string, schema: JsonSchema])[]): string[] {
  const titles = members.map(([key, schema]) => titleOf(schema, key));
  return members.map(([key], index) =>
    titles.filter((title) => title === titles[index]).length > 1 ? key : (titles[index] ?? key),
  );
}
