import { isObject } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { resolved } from './trait-schema.ts';

/** The kind of field for a trait; `json` if none of the simple ones fits. */
export type TraitKind = 'object' | 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json';

/**
 * The kind for a schema and its current value: a value of another type is never hidden behind a field that does not
 * fit it.
 */
export function traitKind(schema: JsonSchema, value: unknown, root: JsonSchema): TraitKind {
  const kind = kindOf(schema, root);
  if (value === undefined || value === null) return kind;
  const fits = {
    object: isObject(value),
    text: typeof value === 'string',
    number: typeof value === 'number',
    boolean: typeof value === 'boolean',
    choice: choicesOf(schema).some((choice) => choice.value === value),
    list: Array.isArray(value) && value.every((item) => typeof item !== 'object'),
    json: true,
  }[kind];
  return fits ? kind : 'json';
}

function kindOf(schema: JsonSchema, root: JsonSchema, inList = false): TraitKind {
  if (choicesOf(schema).length > 0) return 'choice';
  const types = [schema.type].flat().filter((type) => type !== 'null');
  if (types.length !== 1 || 'anyOf' in schema || 'oneOf' in schema) return 'json';
  switch (types[0]) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return isObject(schema.properties) ? 'object' : 'json';
    case 'array':
      // Nested lists do not count as simple, and a recursive one would never end.
      return !inList && ['text', 'number', 'choice'].includes(kindOf(resolved(schema.items, root), root, true))
        ? 'list'
        : 'json';
    default:
      return 'json';
  }
}

export interface Choice {
  value: string | number | boolean;
  label: string;
}

/** The values of `enum`, or of `oneOf` with constants and titles; empty if other values are allowed too. */
export function choicesOf({ enum: values, oneOf }: JsonSchema): Choice[] {
  const entries = Array.isArray(values)
    ? values.map((value) => ({ const: value }))
    : Array.isArray(oneOf)
      ? oneOf.map((entry) => (isObject(entry) ? entry : {}))
      : [];
  const choices = entries.flatMap((entry: { const?: unknown; title?: unknown }): Choice[] => {
    const value = entry.const;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
    return [{ value, label: typeof entry.title === 'string' ? entry.title : String(value) }];
  });
  return choices.length === entries.length ? choices : [];
}
