import { isObject } from '../../../shared/json.ts';
import { pointerTo } from '../../lib/json-pointer.ts';

const NOT_JSON = Symbol('not JSON');

/** In a value's place while what is typed there is no JSON (yet). */
export const notJson = (text: string): unknown => ({ [NOT_JSON]: text });

export const textThatIsNotJson = (value: unknown): string | undefined =>
  isObject(value) ? (value as { [NOT_JSON]?: string })[NOT_JSON] : undefined;

/** The pointers of all places in a value where no JSON stands. */
export function pointersToNotJson(value: unknown, pointer: string): string[] {
  if (textThatIsNotJson(value) !== undefined) return [pointer];
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => pointersToNotJson(member, pointerTo(pointer, key)));
}

/** Text as a JSON value; invalid JSON is kept as text, and an empty text means absent. */
export function jsonOrText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return notJson(text);
  }
}

/** A value as text to edit; nothing for none. */
export const jsonText = (value: unknown): string =>
  textThatIsNotJson(value) ?? (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));
