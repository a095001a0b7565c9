import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { attempt, isObject, type JsonSchema, keysOf } from '../../../shared/json.ts';

export interface Objection {
  /** Keys from the identity to the member, even a missing member: `['traits', 'name', 'first']`. */
  path: string[];
  /** The predicate of a sentence: `is required`. */
  words: string;
}

/** Checks traits against the schema, with results in schema order; undefined if this browser cannot check them. */
export type SchemaCheck = (traits: unknown) => Objection[] | undefined;

/** Keywords whose errors only repeat an error of a subschema. */
const CONTAINERS = new Set([
  '$ref',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  'if',
  'dependencies',
  'dependentSchemas',
]);

const TYPES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'a JSON object',
  string: 'text',
};

/**
 * Checks traits before they are sent; Kratos has the last word. Interprets the schema, because compiling it requires
 * `unsafe-eval`. Does not support references to other documents or other regular expression dialects. A check may run
 * forever, depending on the schema.
 */
export function schemaCheck(schema: JsonSchema): SchemaCheck {
  const validator = validatorFor(schema);
  return (traits) =>
    attempt(() => validator && objectionsIn(validator.validate({ traits }).errors, { traits }, schema));
}

function validatorFor(schema: JsonSchema): Validator | undefined {
  const [, draft = '7'] = /(2020-12|2019-09|(?<=draft-0)4)/.exec(String(schema.$schema)) ?? [];
  // The validator mutates its schema.
  return attempt(() => new Validator(structuredClone(schema) as Schema, draft as SchemaDraft, false));
}

/**
 * Reports failed alternatives of `anyOf` or `oneOf` once: by the members that each lacks, or else by the errors within.
 */
function objectionsIn(errors: readonly OutputUnit[], instance: unknown, schema: JsonSchema): Objection[] {
  const objections = new Set(errors.filter((error) => isObjection(error, instance)));
  const sentences = new Map<OutputUnit, string>();
  for (const unmet of errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const branchesAt = `${unmet.keywordLocation}/`;
    const within = errors.filter(({ keywordLocation }) => keywordLocation.startsWith(branchesAt));
    const numbers = new Set(
      within.map(({ keywordLocation }) => keywordLocation.slice(branchesAt.length).split('/')[0]),
    );
    const branches = [...numbers].map((number) =>
      within.filter(({ keywordLocation }) => `${keywordLocation}/`.startsWith(`${branchesAt}${number}/`)),
    );
    const isMet = branches.some((branch) => !branch.some((error) => objections.has(error)));
    const lacks = within.every(
      ({ keyword, instanceLocation }) => keyword === 'required' && instanceLocation === unmet.instanceLocation,
    );
    if (within.length === 0) continue;
    if (lacks)
      sentences.set(
        unmet,
        `needs ${branches.map((branch) => branch.map(({ error }) => quotedIn(error)).join(' and ')).join(' or ')}`,
      );
    else objections.delete(unmet);
    if (lacks || isMet) for (const error of within) objections.delete(error);
  }
  return [...objections].map((error) => {
    const words = sentences.get(error);
    return words === undefined ? objectionOf(error, schema) : { path: stepsOf(error.instanceLocation), words };
  });
}

/** Kratos accepts non-ASCII e-mail addresses, which the validator's `email` format rejects. */
function isObjection({ keyword, instanceLocation, error }: OutputUnit, instance: unknown): boolean {
  if (CONTAINERS.has(keyword)) return false;
  if (keyword !== 'format' || quotedIn(error) !== 'email') return true;
  const value = stepsOf(instanceLocation).reduce<unknown>(
    (part, step) => (part as Record<string, unknown>)[step],
    instance,
  );
  return typeof value === 'string' && !/^[^@\s]\S*@[^@\s]+$/.test(value);
}

function objectionOf({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, schema: JsonSchema): Objection {
  const path = stepsOf(instanceLocation);
  return keyword === 'required'
    ? { path: [...path, quotedIn(error)], words: 'is required' }
    : { path, words: keyword === 'pattern' ? formatForm(keywordLocation, schema) : wordsFor(keyword, error) };
}

function wordsFor(keyword: string, error: string): string {
  switch (keyword) {
    case 'false':
      return 'is not in the schema';
    case 'format':
      return `is not a valid ${quotedIn(error) === 'email' ? 'e-mail address' : quotedIn(error)}`;
    case 'type': {
      const [, ...types] = [...error.matchAll(/"([^"]*)"/g)].map(([, type = '']) => TYPES[type] ?? type);
      return `must be ${types.join(' or ')}`;
    }
    case 'enum':
      return `must be one of ${/any of \[(.*)\]\.$/.exec(error)?.[1]?.replaceAll('","', '", "')}`;
    case 'uniqueItems':
      return 'contains the same item twice';
    default:
      return error.replace(/^(?:Instance|String|Array|-?[\d.e+-]+) /, '').replace(/\.$/, '');
  }
}

/** Common values, as examples for schemas without `examples`. */
const USUAL = [
  ...['+4930123456', 'ada@example.com', '2026-01-31', '10115', 'https://example.com', 'Ada', 'ada', 'ada.lovelace'],
  ...['DE', 'de-DE', 'AB123', 'AB-123', 'AB-12345', 'E12345', '123', '1234', '123456', '12345678', '1234567890'],
  ...['030 123456', '12:30', '00000000-0000-4000-8000-000000000000', '#a1b2c3', 'DE123456789'],
];

/** Prefers an example to the pattern, since operators need not know regular expressions. */
function formatForm(keywordLocation: string, schema: JsonSchema): string {
  const [, ...steps] = stepsOf(keywordLocation).toReversed();
  const member = steps.reduceRight<unknown>((part, step) => (isObject(part) ? part[step] : undefined), schema);
  const { pattern, examples } = isObject(member) ? member : {};
  const form = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const [example] = [Array.isArray(examples) ? examples : [], USUAL.filter((text) => form?.test(text))].flat();
  if (typeof example === 'string') return `must look like ${example}`;
  return typeof pattern === 'string' ? `does not match the pattern ${pattern}` : 'does not match the schema’s pattern';
}

const quotedIn = (error: string): string => /"([^"]*)"/.exec(error)?.[1] ?? '';

/** The keys of a pointer in a URI fragment (RFC 6901, section 6). */
const stepsOf = (pointer: string): string[] => keysOf(decodeURIComponent(pointer));
