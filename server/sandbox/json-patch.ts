import { isObject, parseJson, wrongType } from './http.ts';

/** A patch that cannot be applied. */
export class JsonPatchError extends Error {}

type Container = Record<string, unknown> | unknown[];

/** The operations of a JSON Patch (RFC 6902); the services refuse `test`, `move` and `copy`. @throws JsonPatchError, JsonError */
export function parsePatch(text: string): { op: string; path: string; value?: unknown }[] {
  const patch = parseJson(text);
  if (!Array.isArray(patch)) throw wrongType(patch, 'value of type jsonpatch.Patch');
  return patch.map((operation) => {
    if (!isObject(operation)) throw wrongType(operation, 'value of type jsonpatch.Operation');
    const { op, path, value = null } = operation;
    if (typeof path !== 'string' || !/^(?:\/[^/]*)+$/.test(path) || path.includes('__proto__'))
      throw new JsonPatchError(`invalid path: ${path}`);
    if (op !== 'add' && op !== 'replace' && op !== 'remove') throw new JsonPatchError(`unsupported operation: ${op}`);
    return { op, path, value };
  });
}

/**
 * Applies a patch to a copy. As in the services, replacing a missing member adds it, and missing parents are created.
 * @throws JsonPatchError
 */
export function applyPatch(
  document: Record<string, unknown>,
  patch: ReturnType<typeof parsePatch>,
): Record<string, unknown> {
  const patched = structuredClone(document);
  for (const { op, path, value } of patch) {
    const keys = path.slice(1).split('/');
    const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const name = names.pop() ?? '';
    let target: Container = patched;
    for (const parent of names) target = childOf(target, parent, op !== 'remove');
    if (Array.isArray(target)) changeItem(target, op, name, value);
    else if (op !== 'remove') target[name] = value;
    else if (!Object.hasOwn(target, name))
      throw new JsonPatchError(
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
    throw new JsonPatchError(`there is nothing below ${name}`);
  const created: Container = {};
  members[name] = created;
  return created;
}

function changeItem(list: unknown[], op: string, name: string, value: unknown): void {
  const index = name === '-' && op === 'add' ? list.length : /^\d+$/.test(name) ? Number(name) : Number.NaN;
  if (!(index < list.length + (op === 'add' ? 1 : 0))) throw new JsonPatchError(`the list has no item ${name}`);
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
}
