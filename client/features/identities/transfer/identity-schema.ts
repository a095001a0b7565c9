import { isObject } from '../../../json-object.ts';

/** The members of `traits` that a schema names, in its order. */
export function traitsOf(schema: unknown): Record<string, unknown> {
  const traits = isObject(schema) && isObject(schema.properties) ? schema.properties.traits : undefined;
  return isObject(traits) && isObject(traits.properties) ? traits.properties : {};
}

/** Whether the schema of a trait allows text alone. */
export const isTextOnly = (trait: unknown): boolean => isObject(trait) && trait.type === 'string';
