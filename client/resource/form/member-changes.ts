import { isObject } from '../../../shared/json.ts';
import type { PatchOperation } from '../../api/upstream-api.ts';
import { numberText } from '../../lib/exact-json.ts';
import { keysOf, pointerTo } from '../../lib/json-pointer.ts';
import { sameJson, withMember } from './json-value.ts';

/** One member that differs; undefined means absent. Lists are compared as a whole. */
export interface MemberChange {
  /** RFC 6901. */
  path: string;
  before: unknown;
  after: unknown;
}

/** The most deeply nested members in which two documents differ. */
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

/** Patches only these members, so that a change elsewhere is not overwritten. */
export const patchOf = (changes: readonly MemberChange[]): PatchOperation[] =>
  changes.map(({ path, before, after }) => {
    if (after === undefined) return { op: 'remove', path };
    return { op: before === undefined ? 'add' : 'replace', path, value: after };
  });

/** Whether one contains the other. */
export const touches = (a: MemberChange, b: MemberChange): boolean =>
  `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);

export const applied = <T>(target: T, changes: readonly MemberChange[]): T =>
  changes.reduce<unknown>((document, { path, after }) => withMember(document, keysOf(path), after), target) as T;
