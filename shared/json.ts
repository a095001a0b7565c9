export type JsonObject = Record<string, unknown>;

/** A JSON object: neither a list nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object in JSON from elsewhere; none for any other value. */
export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A text in JSON from elsewhere; the empty one for any other value. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The texts of a list in JSON from elsewhere. */
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
