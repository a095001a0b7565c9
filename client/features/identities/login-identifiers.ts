import { identifierIn, isObject, type JsonSchema, whole } from '../../../shared/json.ts';
import { pointerTo } from '../../lib/json-pointer.ts';

/** The login identifiers in an identity, marked by Kratos' schema extension, with their pointers. */
export function identifiersIn(
  value: unknown,
  schema: unknown,
  root: JsonSchema,
  pointer = '/traits',
): [pointer: string, identifier: string][] {
  const here = whole(schema, root);
  if (isObject(value)) {
    const properties = isObject(here.properties) ? here.properties : {};
    return Object.entries(value).flatMap(([key, member]) =>
      identifiersIn(member, properties[key], root, pointerTo(pointer, key)),
    );
  }
  if (Array.isArray(value))
    return value.flatMap((item, index) => identifiersIn(item, here.items, root, pointerTo(pointer, index)));
  return typeof value === 'string' && value !== '' && identifierIn(here).length > 0 ? [[pointer, value]] : [];
}
