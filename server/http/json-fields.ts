import { badRequest } from './api-error.ts';

/**
 * The members of a JSON body, or of an object in it.
 * @param known all allowed names
 * @param what what messages call it
 * @throws 400 if it is not an object or has another member
 */
export function bodyFields<Name extends string>(
  body: unknown,
  known: readonly Name[],
  what = 'The request body',
): Partial<Record<Name, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest(what, 'must be a JSON object');
  const unknown = Object.keys(body).find((name) => !known.some((other) => other === name));
  if (unknown !== undefined) throw badRequest(quoted(unknown), 'is not a known field');
  return body;
}

/** A name from the request, safe for an error message: half a surrogate pair is escaped. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

/**
 * A short text such as a key or a label: 1 to `max` characters (Unicode code points), without control characters,
 * surrounding spaces and lone surrogates.
 * @throws 400 that names the field
 */
export function labelField(field: string, value: unknown, max: number): string {
  const text = textField(field, value);
  const characters = [...text].length;
  if (characters < 1 || characters > max) throw badRequest(field, `must have 1 to ${max} characters`);
  if (/\p{Cc}/u.test(text)) throw badRequest(field, 'must not contain control characters');
  if (text.trim() !== text) throw badRequest(field, 'must not begin or end with a space');
  return text;
}

/** Any text that can be stored as UTF-8. @throws 400 that names the field */
export function textField(field: string, value: unknown, maxBytes = Number.POSITIVE_INFINITY): string {
  if (value === undefined) throw badRequest(field, 'is required');
  if (typeof value !== 'string') throw badRequest(field, 'must be a string');
  if (/\p{Surrogate}/u.test(value)) throw badRequest(field, 'must be well-formed Unicode');
  if (Buffer.byteLength(value) > maxBytes) throw badRequest(field, `must have at most ${maxBytes} bytes`);
  return value;
}

/** @throws 400 that names the field */
export function booleanField(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw badRequest(field, 'must be true or false');
  return value;
}
