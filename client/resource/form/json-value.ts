import { isObject, type JsonObject } from '../../../shared/json.ts';

/** Whether two JSON values say the same; the order of members does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** A copy with the member set, or without it where `value` is undefined; parents that are missing are made. */
export function withMember(target: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const { [key]: before, ...others } = isObject(target) ? target : ({} as JsonObject);
  const after = withMember(before, rest, value);
  if (after === undefined) return others;
  // In its place where it had one: the order of members is what a person reads.
  return isObject(target) && Object.hasOwn(target, key) ? { ...target, [key]: after } : { ...others, [key]: after };
}
