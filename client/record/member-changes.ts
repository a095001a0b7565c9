import { isObject, type JsonObject, keysOf } from '../../shared/json.ts';
import type { PatchOperation } from '../api/request.ts';
import { numberText, pointerTo } from '../lib/json.ts';

/** A changed member; undefined means absent. Lists are compared as a whole. */
export interface MemberChange {
  /** RFC 6901. */
  path: string;
  before: unknown;
  after: unknown;
}

/** The innermost members that differ between two documents. */
export function memberChanges(before: unknown, after: unknown, path = ''): MemberChange[] {
  if (!isObject(before) || !isObject(after) || numberText(before) || numberText(after))
    return sameJson(before, after) ? [] : [{ path, before, after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    memberChanges(
      Object.hasOwn(before, key) ? before[key] : undefined,
      Object.hasOwn(after, key) ? after[key] : undefined,
      pointerTo(path, key),
    ),
  );
}

/** Patches only the changed members, so that other people's changes are not overwritten. */
export const patchOf = (changes: readonly MemberChange[]): PatchOperation[] =>
  changes.map(({ path, before, after }) => {
    if (after === undefined) return { op: 'remove', path };
    return { op: before === undefined ? 'add' : 'replace', path, value: after };
  });

/** Whether either path contains the other. */
export const touches = (a: MemberChange, b: MemberChange): boolean =>
  `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);

export const applied = <T>(target: T, changes: readonly MemberChange[]): T =>
  changes.reduce<unknown>((document, { path, after }) => withMember(document, keysOf(path), after), target) as T;

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

/** A write was stored, but another one at the same time has replaced some of its members. */
export class Overwritten extends Error {
  /** JSON pointers of these members. */
  readonly paths: readonly string[];
  /** The record with the other write. */
  readonly now: object;

  constructor(paths: readonly string[], now: object) {
    const names = paths.map((path) => path.slice(1).replaceAll('/', '.')).join(', ');
    super(`Somebody else saved at the same moment, and overwrote ${names}.`);
    this.paths = paths;
    this.now = now;
  }
}

/** The member at a path; undefined if absent. */
export const valueAt = (target: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), target);

/** A copy with the member set, or removed for undefined. Creates missing parents. */
export function withMember(target: unknown, keys: readonly string[], value: unknown): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const { [key]: before, ...others } = isObject(target) ? target : ({} as JsonObject);
  const after = withMember(before, rest, value);
  if (after === undefined) return others;
  // Keep the order of members, which matters to people who read the JSON.
  return isObject(target) && Object.hasOwn(target, key) ? { ...target, [key]: after } : { ...others, [key]: after };
}
