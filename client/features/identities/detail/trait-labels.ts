import { isObject } from '../../../../shared/json.ts';
import type { JsonSchema } from '../../../api/identity-schemas.ts';
import { resolved, titleOf } from '../../../resource/traits/trait-schema.ts';

/** What a trait is called by its schema, from its steps: `['name', 'first']` is “First name”; without a title its path. */
export function traitLabel(schema: JsonSchema | undefined, steps: readonly string[]): string {
  const path = steps.join('.');
  if (schema === undefined || !isObject(schema.properties)) return path;
  const trait = steps.reduce<JsonSchema>(
    (parent, step) => resolved(isObject(parent.properties) ? parent.properties[step] : undefined, schema),
    resolved(schema.properties.traits, schema),
  );
  return titleOf(trait, path);
}
