import { isObject } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { whole } from '../../resource/traits/trait-schema.ts';

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
  return typeof value === 'string' && value !== '' && identifierOf(here).length > 0 ? [[pointer, value]] : [];
}

/** The credentials for which a trait is an identifier, by the same extension. */
export function identifierOf(schema: JsonSchema): string[] {
  const extension = schema['ory.sh/kratos'];
  const credentials = isObject(extension) && isObject(extension.credentials) ? extension.credentials : {};
  return Object.entries(credentials)
    .filter(([, by]) => isObject(by) && (by.identifier === true || typeof by.via === 'string'))
    .map(([type]) => type);
}
