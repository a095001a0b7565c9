import { isObject, pointerTo } from './json-value.ts';

const UNPARSED = Symbol('unparsed');

/** In a value's place while what is typed there is no JSON (yet). */
export const unparsed = (text: string): unknown => ({ [UNPARSED]: text });

export const unparsedText = (value: unknown): string | undefined =>
  isObject(value) ? (value as { [UNPARSED]?: string })[UNPARSED] : undefined;

/** The pointers of all places in a value where no JSON stands. */
export function unparsedPlaces(value: unknown, pointer: string): string[] {
  if (unparsedText(value) !== undefined) return [pointer];
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => unparsedPlaces(member, pointerTo(pointer, key)));
}

/** Text as a JSON value; what is none is kept as text. Nothing at all stands for absent. */
export function parsedOrText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return unparsed(text);
  }
}
