import { isObject } from '../../../shared/json.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { pointerTo } from '../../lib/json-pointer.ts';

const NOT_JSON = Symbol('not JSON');

/** Placeholder for a value whose text is not (yet) valid JSON. */
export const notJson = (text: string): unknown => ({ [NOT_JSON]: text });

export const textThatIsNotJson = (value: unknown): string | undefined =>
  isObject(value) ? (value as { [NOT_JSON]?: string })[NOT_JSON] : undefined;

/** Pointers to all such placeholders in a value. */
export function pointersToNotJson(value: unknown, pointer: string): string[] {
  if (textThatIsNotJson(value) !== undefined) return [pointer];
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => pointersToNotJson(member, pointerTo(pointer, key)));
}

/** Text as a JSON value; invalid JSON is kept as text, and empty text means absent. */
export function jsonOrText(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return notJson(text);
  }
}

/** A value as text to edit; empty for undefined. */
export const jsonText = (value: unknown): string =>
  textThatIsNotJson(value) ?? (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));
