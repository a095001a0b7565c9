import { attempt, isObject, keysOf } from '../../shared/json.ts';

/** A body that is not the expected JSON, or a patch that cannot be applied. */
export class JsonError extends Error {}

/** @throws JsonError */
export function parseJson(text: string): unknown {
  const value = attempt<unknown>(() => JSON.parse(text));
  if (value === undefined) throw new JsonError(text.trim() === '' ? 'EOF' : 'unexpected EOF');
  return value;
}

/** The error of Go's decoder for a value of the wrong type. */
export const wrongType = (value: unknown, target: string): JsonError =>
  new JsonError(`json: cannot unmarshal ${typeName(value)} into Go ${target}`);

/** The name of a value's type in Go's messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The services' message for an invalid UUID. */
export const uuidProblem = (text: string): string =>
  text.length === 36
    ? `uuid: incorrect UUID format in string "${text}"`
    : `uuid: incorrect UUID length ${Buffer.byteLength(text)} in string "${text}"`;

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  if (!/^-?(?:[0-9]+(?:\.[0-9]*)?(?:ms|s|m|h))+$/.test(text)) return text === '0' ? 0 : undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([0-9.]+)([a-z]+)/g)) total += Number(amount) * (UNITS[unit] ?? 0);
  return text.startsWith('-') ? -total : total;
}

/** Go's notation: `1h30m0s`, `30m0s`, `1m30s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const seconds = Math.abs(milliseconds) / 1000;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${seconds % 60}s`];
  return sign + parts.join('');
}

type Container = Record<string, unknown> | unknown[];

/** The operations of a JSON Patch (RFC 6902); the services refuse `test`, `move` and `copy`. @throws JsonError */
export function parsePatch(text: string): { op: string; path: string; value?: unknown }[] {
  const patch = attempt<unknown>(() => JSON.parse(text));
  if (patch === undefined) throw new JsonError('invalid state detected');
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw wrongType(patch, 'value of type jsonpatch.Patch');
  return patch.map((operation) => {
    if (!isObject(operation)) throw wrongType(operation, 'value of type jsonpatch.Operation');
    const { op, path, value = null } = operation;
    if (typeof path !== 'string' || !path.includes('/') || path.includes('__proto__'))
      throw new JsonError(`invalid path: ${path}`);
    if (op !== 'add' && op !== 'replace' && op !== 'remove') throw new JsonError(`unsupported operation: ${op}`);
    return { op, path, value };
  });
}

/**
 * Applies a patch to a copy. As in the services, replacing a missing member adds it, and missing parents are created.
 * @throws JsonError
 */
export function applyPatch(
  document: Record<string, unknown>,
  patch: ReturnType<typeof parsePatch>,
): Record<string, unknown> {
  const patched = structuredClone(document);
  for (const { op, path, value } of patch) {
    const names = keysOf(path);
    const name = names.pop() ?? '';
    let target: Container = patched;
    for (const parent of names) target = childOf(target, parent, op !== 'remove');
    if (Array.isArray(target)) changeItem(target, op, name, value);
    else if (op !== 'remove') target[name] = value;
    else if (!Object.hasOwn(target, name))
      throw new JsonError(
        `error in remove for path: '${path}': unable to remove nonexistent key: ${name}: missing value`,
      );
    else delete target[name];
  }
  return patched;
}

function childOf(target: Container, name: string, create: boolean): Container {
  const members = target as Record<string, unknown>;
  const child = Object.hasOwn(target, name) ? members[name] : undefined;
  if (typeof child === 'object' && child !== null) return child as Container;
  if ((child !== undefined && child !== null) || !create || Array.isArray(target))
    throw new JsonError(`there is nothing below ${name}`);
  const created: Container = {};
  members[name] = created;
  return created;
}

function changeItem(list: unknown[], op: string, name: string, value: unknown): void {
  const index = name === '-' && op === 'add' ? list.length : /^\d+$/.test(name) ? Number(name) : Number.NaN;
  if (!(index < list.length + (op === 'add' ? 1 : 0))) throw new JsonError(`the list has no item ${name}`);
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
}
