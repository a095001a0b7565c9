import { constantsOf, isObject, type JsonObject, type JsonSchema, membersOf, pick, whole } from '../../shared/json.ts';
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

/**
 * An object after a change of a member: without the members of a branch that is no longer chosen, and with the defaults
 * of one that is chosen now. Members that have no field in any branch stay.
 * @param hidden members that were left out before, which return with their branch
 */
export function withTrait(
  schema: unknown,
  root: JsonSchema,
  { value, hidden }: { value: JsonObject; hidden: JsonObject },
  [key, changed]: readonly [key: string, changed: unknown],
): JsonObject {
  const namesIn = (object: JsonObject) => new Set(fieldsOf(schema, root, object).map(([name]) => name));
  const known = namesIn(value);
  // What is left out may have chosen another branch.
  const withoutLeft = (object: JsonObject): JsonObject => {
    const names = namesIn(object);
    const rest = pick(object, (name) => names.has(name) || !known.has(name));
    return sameJson(rest, object) ? object : withoutLeft(rest);
  };
  const kept = withoutLeft(membersOf(withMember(value, [key], changed)));
  const names = namesIn(kept);
  const all = withDefaults(schema, root, { ...pick(hidden, (name) => names.has(name)), ...kept });
  return { ...pick(membersOf(all), (name) => !known.has(name)), ...kept };
}

/** A value as the schema allows it. */
export function exampleOf(schema: unknown, root: JsonSchema, depth = 0): unknown {
  const here = whole(schema, root);
  const [given = here.default ?? constantsOf(here, root)[0]?.const] = [here.examples].flat();
  if (given !== undefined) return given;
  const [type = ''] = typesOf(here, root);
  const within = (one: unknown): unknown => exampleOf(one, root, depth + 1);
  if (type === 'array' && depth < DEPTH_MAX) return [here.items].flat().map(within);
  if (type === 'object' && depth < DEPTH_MAX)
    return Object.fromEntries(fieldsOf(schema, root, undefined).map(([key, one]) => [key, within(one)]));
  return { array: [], boolean: true, integer: 1, number: 1, object: {} }[type] ?? 'text';
}
