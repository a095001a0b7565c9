import { isObject, type JsonSchema, whole } from '../../../../shared/json.ts';
import { keysOf } from '../../../lib/json-pointer.ts';

/** Whether the form has a field for a member; the traits as a whole have none. */
export function hasField(schema: JsonSchema, pointer: string): boolean {
  const [member, ...steps] = keysOf(pointer);
  if (member !== 'traits') return true;
  let current: unknown = isObject(schema.properties) ? schema.properties.traits : undefined;
  for (const step of steps) {
    const { properties, items } = whole(current, schema);
    current = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : /^\d+$/.test(step) && items;
    if (!isObject(current)) return false;
  }
  return steps.length > 0;
}
