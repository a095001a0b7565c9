import {
  identifierIn,
  isDisplayName,
  isObject,
  type JsonObject,
  type JsonSchema,
  membersOf,
  traitsIn,
  whole,
} from './json.ts';

/** The keys from the traits down to one trait; `*` stands for every item of a list. */
type Path = readonly string[];

/** The traits that a schema marks as identifiers for sign-in, and as display names. */
export interface Marks {
  identifiers: readonly Path[];
  names: readonly Path[];
}
export type MarksBySchema = Readonly<Record<string, Marks>>;

const NO_MARKS: Marks = { identifiers: [], names: [] };
const DEPTH_MAX = 6;

/** @param schemas the list of an identity service, which is not validated */
export function marksIn(schemas: readonly unknown[]): MarksBySchema {
  const known = schemas.map(membersOf).filter(({ schema }) => isObject(schema));
  return Object.fromEntries(known.map(({ id, schema }) => [String(id), marksOf(schema as JsonSchema)]));
}

function marksOf(root: JsonSchema): Marks {
  const [identifiers, names]: [Path[], Path[]] = [[], []];
  const walk = (schema: JsonSchema, path: Path): void => {
    if (path.length > DEPTH_MAX) return;
    if (identifierIn(schema).length > 0) identifiers.push(path);
    else if (isDisplayName(schema)) names.push(path);
    for (const [key, member] of Object.entries(membersOf(schema['properties'])))
      walk(whole(member, root), [...path, key]);
    if (isObject(schema['items'])) walk(whole(schema['items'], root), [...path, '*']);
  };
  walk(traitsIn(root), []);
  return { identifiers, names };
}

/** The marks of a schema; of all schemas if the identity does not name one. */
export function marksFor(known: MarksBySchema, schemaId: unknown): Marks {
  if (typeof schemaId === 'string') return Object.hasOwn(known, schemaId) ? (known[schemaId] ?? NO_MARKS) : NO_MARKS;
  const all = Object.values(known);
  return { identifiers: all.flatMap((one) => one.identifiers), names: all.flatMap((one) => one.names) };
}

/** Usual names of traits, in lower case and without separators. */
const IDENTIFIERS =
  'email emails emailaddress mail username preferredusername login phone phones phonenumber mobile'.split(' ');
const NAMES = ['name', 'fullname', 'displayname'];
const FIRST = ['first', 'firstname', 'given', 'givenname'];
const LAST = ['last', 'lastname', 'family', 'familyname', 'surname'];

/** What a person signs in with: the trait that the schema marks, otherwise one with a usual name; undefined without. */
export const identifierOf = (traits: JsonObject, marks: Marks = NO_MARKS): string | undefined =>
  firstOf(marks.identifiers.map((path) => textAt(traits, path))) ?? usual(traits, IDENTIFIERS);

/** The person's name from one trait or several; undefined if there are none. */
export function nameOf(traits: JsonObject, marks: Marks = NO_MARKS): string | undefined {
  const marked = firstOf(marks.names.map((path) => textAt(traits, path)));
  if (marked !== undefined) return marked.trim();
  const one = usual(traits, NAMES);
  const { name } = traits;
  if (one !== undefined && !isObject(name)) return one.trim();
  const parts = isObject(name) ? name : traits;
  const words = [usual(parts, FIRST), usual(parts, LAST)].flatMap((word) => (word === undefined ? [] : [word.trim()]));
  return words.join(' ') || undefined;
}

/** The first trait with one of these names, ignoring case and separators. */
function usual(traits: JsonObject, names: readonly string[]): string | undefined {
  const keys = Object.keys(traits).map((key) => [key, key.toLowerCase().replace(/[^a-z0-9]/g, '')] as const);
  return firstOf(
    names.flatMap((name) => keys.filter(([, plain]) => plain === name).map(([key]) => textAt(traits, [key]))),
  );
}

/** The text at a path; in a list, the text of the first item that has one. */
function textAt(value: unknown, path: Path): string | undefined {
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    const further = key === '*' ? rest : path;
    return firstOf(value.map((item) => textAt(item, further)));
  }
  if (key !== undefined) return isObject(value) && Object.hasOwn(value, key) ? textAt(value[key], rest) : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

const firstOf = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.find((text) => text !== undefined);
