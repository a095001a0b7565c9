import { goTypeOf, isObject } from './json.ts';

/** A patch that does not decode or apply, with the message of the library that the services use. */
export class JsonPatchError extends Error {}

/** One operation of RFC 6902, checked but for its path's existence. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove' | 'move' | 'copy';
  path: string;
  from: string;
  value: unknown;
}

/**
 * Checks the shape of a patch. `test` is refused: neither service knows it.
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
  return patch.map((item: unknown) => {
    if (!isObject(item))
      throw new JsonPatchError(`json: cannot unmarshal ${goTypeOf(item)} into Go value of type jsonpatch.Operation`);
    const { op, path, from, value } = item;
    const invalid = (why: string) => new JsonPatchError(`invalid operation ${sortedJson(item)}: ${why}`);
    if (op === 'test') throw new JsonPatchError('unsupported operation: test');
    if (op !== 'add' && op !== 'replace' && op !== 'remove' && op !== 'move' && op !== 'copy')
      throw invalid('unsupported operation');
    if (typeof path !== 'string') throw invalid("failed to decode 'path': operation missing path field: missing value");
    const needsFrom = op === 'move' || op === 'copy';
    if (needsFrom && typeof from !== 'string')
      throw invalid("failed to decode 'from': operation, missing from field: missing value");
    return { op, path, from: typeof from === 'string' ? from : '', value: value ?? null };
  });
}

/**
 * Applies a patch to a copy. Missing parents are made, a replacement of what is not there adds it.
 * @throws JsonPatchError when something to remove, move or copy is not there
 */
export function applyPatch(
  document: Record<string, unknown>,
  patch: readonly PatchOperation[],
): Record<string, unknown> {
  const root = structuredClone(document);
  for (const { op, path, from, value } of patch) {
    if (op === 'remove') take(root, path, op, true);
    else if (op === 'add' || op === 'replace') put(root, path, value, op === 'add');
    else put(root, path, structuredClone(take(root, from, op, op === 'move')), true);
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
      const made: Container = (keys[index + 1] ?? last) === '-' ? [] : {};
      (target as Record<string, unknown>)[key] = made;
      target = made;
    }
  }
  if (!Array.isArray(target)) target[last] = value;
  else if (last === '-') target.push(value);
  else if (!/^[0-9]+$/.test(last) || Number(last) > target.length)
    throw new JsonPatchError(`error in add for path: '${path}': index out of bounds`);
  else target.splice(Number(last), insert ? 0 : 1, value);
}

function take(root: Container, path: string, op: string, remove: boolean): unknown {
  const keys = keysOf(path);
  const last = keys.pop() ?? '';
  let target: unknown = root;
  for (const key of keys) target = isContainer(target) ? ownMember(target, key) : undefined;
  if (!isContainer(target))
    throw new JsonPatchError(
      `error in ${op} for path: '${path}': unable to ${op} nonexistent key: ${last}: missing value`,
    );
  if (!Object.hasOwn(target, last))
    throw new JsonPatchError(
      `error in ${op} for path: '${path}': unable to ${op} nonexistent key: ${last}: missing value`,
    );
  const value = (target as Record<string, unknown>)[last];
  if (remove) {
    if (Array.isArray(target)) target.splice(Number(last), 1);
    else delete target[last];
  }
  return value;
}

const sortedJson = (item: Record<string, unknown>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
