import { isObject, type JsonObject } from '../../../shared/json.ts';

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
