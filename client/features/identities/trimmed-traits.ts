import { isObject, type JsonSchema, resolved } from '../../../shared/json.ts';

/**
 * Traits without the blanks around texts that have a format, or by which the identity service knows or reaches a
 * person: an address that was pasted with a blank is another address.
 * @param schema of the whole identity
 */
export const trimmedTraits = (traits: unknown, schema: JsonSchema): unknown =>
  trimmed(traits, isObject(schema.properties) ? schema.properties.traits : undefined, schema);

function trimmed(value: unknown, schema: unknown, root: JsonSchema): unknown {
  const here = resolved(schema, root);
  if (typeof value === 'string')
    return typeof here.format === 'string' || isObject(here['ory.sh/kratos']) ? withoutBlanks(value) : value;
  if (Array.isArray(value)) return value.map((item) => trimmed(item, here.items, root));
  if (!isObject(value) || !isObject(here.properties)) return value;
  const { properties } = here;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? trimmed(member, properties[name], root) : member,
    ]),
  );
}

/** Also invisible characters, which address books put around numbers. */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isBlank = (character = ''): boolean => /[\s\p{Cf}]/u.test(character);
