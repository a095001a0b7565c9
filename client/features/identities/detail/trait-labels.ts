import { isObject, type JsonSchema, traitsIn, whole } from '../../../../shared/json.ts';
import { titleOf } from '../../../resource/traits/trait-schema.ts';

/** A trait's title in the schema, else its path: `['name', 'first']` is “First name”. */
export function traitLabel(schema: JsonSchema | undefined, steps: readonly string[]): string {
  const path = steps.join('.');
  if (schema === undefined || !isObject(schema.properties)) return path;
  const trait = steps.reduce<JsonSchema>(
    (parent, step) => whole(isObject(parent.properties) ? parent.properties[step] : undefined, schema),
    traitsIn(schema),
  );
  return titleOf(trait, path);
}
