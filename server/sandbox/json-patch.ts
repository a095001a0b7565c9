import { goTypeOf, isObject } from './go.ts';

/** A patch that cannot be decoded or applied, with the message of the Go library used by both services. */
export class JsonPatchError extends Error {}

/** One RFC 6902 operation, validated except for the existence of its path. The services support no others. */
export interface PatchOperation {
  op: 'add' | 'replace' | 'remove';
  path: string;
  value: unknown;
}

/** In the standard and decoded by the library, but refused by both services. */
const REFUSED = ['test', 'move', 'copy'];

/** Validates the shape of a patch. @throws JsonPatchError */
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
  const operations = patch.map(operationIn);
  return operations.map(({ op, path, value }) => {
    if (op !== 'add' && op !== 'replace' && op !== 'remove') throw new JsonPatchError(`unsupported operation: ${op}`);
    return { op, path, value };
  });
}

function operationIn(item: unknown): { op: string; path: string; value: unknown } {
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
 * Applies a patch to a copy, as the library is configured in the services: replacing a missing member adds it, missing
 * parents are created (as arrays if a number or `-` follows), and a negative index counts from the end.
 * @returns the document; an operation on the path `''` replaces it as a whole, even by an array
 * @throws JsonPatchError
 */
export function applyPatch(document: Record<string, unknown>, patch: readonly PatchOperation[]): Container {
  let root: Container = structuredClone(document);
  for (const { op, path, value } of patch) {
    if (op === 'remove') remove(root, path);
    else if (path === '') root = wholeDocument(value);
    else if (op === 'replace' && /\/(-|[+-]?[0-9]+)$/.test(path)) replace(root, path, value);
    else add(root, path, value);
  }
  return root;
}

type Container = Record<string, unknown> | unknown[];

const MISSING = 'missing value';
const INVALID_INDEX = 'invalid index referenced';
/** The library pads a new array up to any index. */
const PADDED_MAX = 100_000;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
const decoded = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

function wholeDocument(value: unknown): Container {
  if (isContainer(value)) return value;
  throw new JsonPatchError(
    value === null
      ? 'json: error calling MarshalJSON for type *jsonpatch.partialDoc: invalid value, expected object'
      : `json: cannot unmarshal ${goTypeOf(value)} into Go value of type map[string]*jsonpatch.lazyNode`,
  );
}

/** Anything before the first slash is ignored. */
function placeOf(root: Container, path: string): { target: Container; key: string } | undefined {
  if (path === '') return { target: root, key: '' };
  const [, ...keys] = path.split('/').map(decoded);
  const key = keys.pop();
  let target: unknown = root;
  for (const parent of keys) target = isContainer(target) ? memberOf(target, parent) : undefined;
  return key !== undefined && isContainer(target) ? { target, key } : undefined;
}

/** Inherited members must not be patched. */
function memberOf(target: Container, key: string): unknown {
  if (!Array.isArray(target)) return key !== '' && Object.hasOwn(target, key) ? target[key] : undefined;
  const index = indexIn(key);
  return index === undefined ? undefined : target.at(index);
}

/** `__proto__` is an ordinary name here. */
const setMember = (target: Record<string, unknown>, key: string, value: unknown): void =>
  void Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });

/** Parses a number as Go does (`strconv.Atoi`). */
const indexIn = (key: string): number | undefined => (/^[+-]?[0-9]+$/.test(key) ? Number(key) : undefined);

const noNumber = (key: string): string => `strconv.Atoi: parsing "${key}": invalid syntax`;

function add(root: Container, path: string, value: unknown): void {
  makeParents(root, path);
  const place = placeOf(root, path);
  if (place === undefined)
    throw new JsonPatchError(`add operation does not apply: doc is missing path: "${path}": ${MISSING}`);
  const problem = insert(place.target, place.key, value);
  if (problem !== undefined) throw new JsonPatchError(`error in add for path: '${path}': ${problem}`);
}

/** @returns why it cannot be inserted, if so */
function insert(target: Container, key: string, value: unknown): string | undefined {
  if (!Array.isArray(target)) setMember(target, key, value);
  else if (key === '-') target.push(value);
  else {
    const index = indexIn(key);
    if (index === undefined) return `value was not a proper array index: '${key}': ${noNumber(key)}`;
    const size = target.length + 1;
    if (index >= size || index < -size) return `Unable to access invalid index: ${index}: ${INVALID_INDEX}`;
    target.splice(index < 0 ? index + size : index, 0, value);
  }
  return undefined;
}

function makeParents(root: Container, path: string): void {
  const [, ...keys] = path.split('/');
  let target: Container = root;
  for (const [position, key] of keys.slice(0, -1).entries()) {
    const found = memberOf(target, decoded(key));
    if (found === undefined || found === null) {
      if (Array.isArray(target)) pad(target, indexIn(key) ?? 0);
      const made = emptyParentOf(keys[position + 1] ?? '');
      // Like the library: under the key as sent, with its escapes, and ignored for an invalid array index.
      insert(target, key, made);
      target = made;
    } else if (isContainer(found)) target = found;
    else throw new JsonPatchError('invalid state detected');
  }
}

/** A missing parent is created as an array or an object, depending on the following key. */
function emptyParentOf(key: string): Container {
  const index = key === '-' ? 0 : indexIn(key);
  if (index === undefined) return {};
  if (index < -1)
    throw new JsonPatchError(`Unable to ensure path for negative index other than -1: ${index}: ${INVALID_INDEX}`);
  const list: unknown[] = [];
  pad(list, index);
  return list;
}

function pad(list: unknown[], length: number): void {
  if (length > PADDED_MAX) throw new JsonPatchError(INVALID_INDEX);
  while (list.length < length) list.push(null);
}

function replace(root: Container, path: string, value: unknown): void {
  const missing = (what: string) =>
    new JsonPatchError(`replace operation does not apply: doc is missing ${what}: ${path}: ${MISSING}`);
  const place = placeOf(root, path);
  if (place === undefined) throw missing('path');
  const { target, key } = place;
  if (memberOf(target, key) === undefined) throw missing('key');
  if (Array.isArray(target)) target.splice(indexIn(key) ?? 0, 1, value);
  else setMember(target, key, value);
}

function remove(root: Container, path: string): void {
  const place = placeOf(root, path);
  if (place === undefined)
    throw new JsonPatchError(`remove operation does not apply: doc is missing path: "${path}": ${MISSING}`);
  const { target, key } = place;
  const problem = takeOut(target, key);
  if (problem !== undefined) throw new JsonPatchError(`error in remove for path: '${path}': ${problem}`);
}

/** @returns why it cannot be removed, if so */
function takeOut(target: Container, key: string): string | undefined {
  if (Array.isArray(target)) {
    const index = indexIn(key);
    if (index === undefined) return noNumber(key);
    if (index >= target.length || index < -target.length)
      return `Unable to access invalid index: ${index}: ${INVALID_INDEX}`;
    target.splice(index, 1);
  } else if (!Object.hasOwn(target, key)) return `unable to remove nonexistent key: ${key}: ${MISSING}`;
  else delete target[key];
  return undefined;
}

const sortedJson = (item: Record<string, unknown>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
