import type { JsonSchema } from '../../../shared/json.ts';

export const titleOf = (schema: JsonSchema, key: string): string =>
  typeof schema.title === 'string' && schema.title !== '' ? schema.title : key;

/** What members are called, in their order: by their titles, and by their own names where a title would stand twice. */
export function labelsOf(members: readonly (readonly [key: string, schema: JsonSchema])[]): string[] {
  const titles = members.map(([key, schema]) => titleOf(schema, key));
  return members.map(([key], index) =>
    titles.filter((title) => title === titles[index]).length > 1 ? key : (titles[index] ?? key),
  );
}
