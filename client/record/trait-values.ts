import { constantsOf, isObject, type JsonObject, type JsonSchema, membersOf, whole } from '../../shared/json.ts';
import { sameJson, valueAt, withMember } from './member-changes.ts';
import { DEPTH_MAX, typesOf } from './trait-kind.ts';

const fieldsOf = (schema: unknown, root: JsonSchema, value: unknown): [key: string, schema: unknown][] =>
  Object.entries(membersOf(whole(schema, root, value).properties));

/** The value with the defaults of absent members, also in branches that it chooses. */
export function withDefaults(schema: unknown, root: JsonSchema, value?: unknown, depth = 0): unknown {
  const start = value ?? whole(schema, root).default ?? undefined;
  if (depth > DEPTH_MAX || (start !== undefined && !isObject(start))) return start;
  const filled = fieldsOf(schema, root, start ?? {}).reduce<unknown>((all, [key, one]) => {
    const member = withDefaults(one, root, valueAt(all, [key]), depth + 1);
    return member === undefined ? all : withMember(all, [key], member);
  }, start);
  return sameJson(filled, start) ? start : withDefaults(schema, root, filled, depth);
}

interface Branched {
  value: JsonObject;
  /** Members of branches that are not chosen. */
  hidden: JsonObject;
}

/**
 * An object after a change of a member. Members of a branch that is no longer chosen are hidden, and return with it;
 * members that have no field in any branch stay.
 * @param isNew whether a branch comes with its defaults
 */
export function withTrait(
  schema: unknown,
  root: JsonSchema,
  { value: before, hidden }: Branched,
  [key, changed]: readonly [key: string, changed: unknown],
  isNew: boolean,
): Branched {
  const known = new Set([...fieldsOf(schema, root, before).map(([name]) => name), ...Object.keys(hidden)]);
  let value = withMember(before, [key], changed) as JsonObject;
  let all: JsonObject = { ...hidden, ...value };
  // What appears or disappears can choose other branches.
  for (let steps = 0; steps < DEPTH_MAX; steps += 1) {
    const fields = Object.fromEntries(fieldsOf(schema, root, value));
    const added = Object.entries(fields).filter(([name]) => isNew && !known.has(name));
    const defaults = added.map(([name, one]) => [name, withDefaults(one, root)]);
    all = { ...Object.fromEntries(defaults.filter(([, one]) => one !== undefined)), ...all };
    value = Object.fromEntries(Object.entries(all).filter(([name]) => !known.has(name) || Object.hasOwn(fields, name)));
  }
  return { value, hidden: Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(value, name))) };
}

/** A value as the schema allows it. @param number the example of a number */
export function exampleOf(schema: unknown, root: JsonSchema, number = 1, depth = 0): unknown {
  const here = whole(schema, root);
  const [given = here.default ?? constantsOf(here, root)[0]?.const] = [here.examples].flat();
  const [type] = typesOf(here, root);
  const within = (one: unknown, index = 0): unknown => exampleOf(one, root, index + 1, depth + 1);
  if (given !== undefined) return given;
  if (type === 'object' && depth < DEPTH_MAX)
    return Object.fromEntries(fieldsOf(schema, root, undefined).map(([key, one]) => [key, within(one)]));
  if (type === 'array') return depth < DEPTH_MAX ? [here.prefixItems ?? here.items].flat().map(within) : [];
  return type === 'number' || type === 'integer' ? number : type === 'boolean' || (type === 'object' ? {} : 'text');
}
