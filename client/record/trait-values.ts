import {
  constantsOf,
  isObject,
  type JsonObject,
  type JsonSchema,
  membersOf,
  pick,
  texts,
  whole,
} from '../../shared/json.ts';
import { sameJson, valueAt, withMember } from './member-changes.ts';
import { DEPTH_MAX, typesOf } from './trait-kind.ts';

const fieldsOf = (schema: unknown, root: JsonSchema, value: unknown): [key: string, schema: unknown][] =>
  Object.entries(membersOf(whole(schema, root, value).properties));

/** The value with the defaults of absent members, also in branches that it chooses. */
export function withDefaults(schema: unknown, root: JsonSchema, value?: unknown, depth = 0): unknown {
  const start = value ?? whole(schema, root).default ?? undefined;
  if (depth > DEPTH_MAX || (start !== undefined && !isObject(start))) return start;
  const required = texts(whole(schema, root, start ?? {}).required);
  const filled = fieldsOf(schema, root, start ?? {}).reduce<unknown>((all, [key, one]) => {
    const before = valueAt(all, [key]);
    const member = withDefaults(one, root, before, depth + 1);
    // A default must not make an optional group incomplete.
    const isIncomplete =
      before === undefined &&
      !required.includes(key) &&
      isObject(member) &&
      texts(whole(one, root, member).required).some((name) => !Object.hasOwn(member, name));
    return member === undefined || isIncomplete ? all : withMember(all, [key], member);
  }, start);
  return sameJson(filled, start) ? start : withDefaults(schema, root, filled, depth);
}

/**
 * An object after a change of a member: without the members of a branch that is no longer chosen, and with the defaults
 * of one that is chosen now. Members that had no field at first stay.
 * @param start the object before the first change
 * @param hidden members that were left out before, which return with their branch
 */
export function withTrait(
  schema: unknown,
  root: JsonSchema,
  { start, value, hidden }: Record<'start' | 'value' | 'hidden', JsonObject>,
  [key, changed]: readonly [key: string, changed: unknown],
): JsonObject {
  const namesIn = (object: JsonObject) => new Set(fieldsOf(schema, root, object).map(([name]) => name));
  const first = namesIn(start);
  const isLeft = (name: string): boolean => known.has(name) && (first.has(name) || !Object.hasOwn(start, name));
  const known = namesIn(value);
  // What is left out may have chosen another branch.
  const withoutLeft = (object: JsonObject): JsonObject => {
    const names = namesIn(object);
    const rest = pick(object, (name) => names.has(name) || !isLeft(name));
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
