import { goTypeOf, isObject } from './json.ts';

/** A patch that does not decode or apply, with the message of the library that the services use. */
export class JsonPatchError extends Error {}

/** One operation of RFC 6902, checked but for its path's existence. The services know no others. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value: unknown;
}

/** Part of the standard, decoded by the library, and refused by both services. */
const REFUSED = ['test', 'move', 'copy'];

/**
 * Checks the shape of a patch.
 * @throws JsonPatchError
 */
export function parsePatch(text: string): PatchOperation[] {
  let patch: unknown;
  try {
    patch = JSON.parse(text);
  } catch {
    throw new JsonPatchError('invalid state detected');
  }
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw new JsonPatchError(`json: cannot unmarshal ${goTypeOf(patch)} into Go value of type jsonpatch.Patch`);
  const operations = patch.map(decoded);
  return operations.map(({ op, path, value }) => {
    if (op !== 'add' && op !== 'replace' && op !== 'remove') throw new JsonPatchError(`unsupported operation: ${op}`);
    return { op, path, value };
  });
}

function decoded(item: unknown): { op: string; path: string; value: unknown } {
  if (!isObject(item))
    throw new JsonPatchError(`json: cannot unmarshal ${goTypeOf(item)} into Go value of type jsonpatch.Operation`);
  const { op, path, from, value } = item;
  const invalid = (why: string) => new JsonPatchError(`invalid operation ${sortedJson(item)}: ${why}`);
  const missing = (field: string, why: string) => invalid(`failed to decode '${field}': ${why}: missing value`);
  if (op === 'add' || op === 'replace') {
    if (!Object.hasOwn(item, 'value')) throw missing('value', 'operation, missing value field');
  } else if (op === 'move' || op === 'copy') {
    if (typeof from !== 'string') throw missing('from', 'operation, missing from field');
  } else if (typeof op !== 'string' || (op !== 'remove' && !REFUSED.includes(op)))
    throw invalid('unsupported operation');
  if (typeof path !== 'string') throw missing('path', 'operation missing path field');
  return { op, path, value: value ?? null };
}

/**
 * Applies a patch to a copy. Missing parents are made, lists where a number or `-` follows; a replacement of what is
 * not there adds it; a negative index counts from the end of the new list; a path without a slash changes nothing.
 * @throws JsonPatchError when something to remove is not there, an index is out of bounds, or the path is empty
 */
export function applyPatch(
  document: Record<string, unknown>,
  patch: readonly PatchOperation[],
): Record<string, unknown> {
  const root = structuredClone(document);
  for (const { op, path, value } of patch) {
    if (path === '') throw new JsonPatchError(`error in ${op} for path: '': the document cannot be replaced`);
    if (op === 'remove') take(root, path);
    else put(root, path, value, op === 'add');
  }
  return root;
}

type Container = Record<string, unknown> | unknown[];

const keysOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** Inherited members are nobody's to patch. */
const ownMember = (target: Container, key: string): unknown =>
  Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined;

function put(root: Container, path: string, value: unknown, insert: boolean): void {
  const keys = keysOf(path);
  const last = keys.pop();
  if (last === undefined) return;
  let target: Container = root;
  for (const [index, key] of keys.entries()) {
    const next = ownMember(target, key);
    if (isContainer(next)) target = next;
    else {
      const made = emptyParentOf(keys[index + 1] ?? last);
      (target as Record<string, unknown>)[key] = made;
      target = made;
    }
  }
  if (!Array.isArray(target)) target[last] = value;
  else if (last === '-') target.push(value);
  else {
    const adds = insert || !Object.hasOwn(target, last);
    target.splice(indexIn(target.length + (adds ? 1 : 0), last, path), adds ? 0 : 1, value);
  }
}

/** What a missing parent becomes: a list, padded up to the index that follows, or an object. */
function emptyParentOf(key: string): Container {
  if (key === '-') return [];
  return /^[0-9]{1,4}$/.test(key) ? Array<unknown>(Number(key)).fill(null) : {};
}

function indexIn(length: number, key: string, path: string): number {
  const index = /^-?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  const fromStart = index < 0 ? index + length : index;
  if (fromStart >= 0 && fromStart < length) return fromStart;
  throw new JsonPatchError(`error in add for path: '${path}': index out of bounds`);
}

function take(root: Container, path: string): void {
  const keys = keysOf(path);
  const last = keys.pop() ?? '';
  let target: unknown = root;
  for (const key of keys) target = isContainer(target) ? ownMember(target, key) : undefined;
  if (Array.isArray(target)) target.splice(indexIn(target.length, last, path), 1);
  else if (isObject(target) && Object.hasOwn(target, last)) delete target[last];
  else
    throw new JsonPatchError(
      `error in remove for path: '${path}': unable to remove nonexistent key: ${last}: missing value`,
    );
}

const sortedJson = (item: Record<string, unknown>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
