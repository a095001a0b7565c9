import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { isObject, type JsonObject } from '../../shared/json.ts';
import { parseExactJson, pointerTo } from '../lib/json.ts';
import classes from './record.module.css';

const ROWS_MIN = 3;
const ROWS_MAX = 24;

/** A JSON field that grows with its content, up to a screenful. */
export function JsonEditor(props: {
  label: string;
  description?: string;
  value: string;
  error: ReactNode;
  required?: boolean;
  onChange: (text: string) => void;
}) {
  const { onChange, ...field } = props;
  const rows = Math.min(ROWS_MAX, Math.max(ROWS_MIN, props.value.split('\n').length));
  return (
    <Textarea
      {...field}
      rows={rows}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      classNames={{ input: classes.text }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Deep equality of JSON values; the order of members does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** The member at a path of keys; undefined if there is none. */
export const valueAt = (target: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), target);

/** A copy with the member set, or removed if `value` is undefined; missing parents are created. */
export function withMember(target: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const { [key]: before, ...others } = isObject(target) ? target : ({} as JsonObject);
  const after = withMember(before, rest, value);
  if (after === undefined) return others;
  // Keeps an existing member in its position, since people read members in order.
  return isObject(target) && Object.hasOwn(target, key) ? { ...target, [key]: after } : { ...others, [key]: after };
}

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
