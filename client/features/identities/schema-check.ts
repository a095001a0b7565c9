import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isObject } from '../../../shared/json.ts';
import type { JsonSchema } from '../../api/identity-schemas.ts';

/** Something that a schema refuses. */
export interface Objection {
  /** Steps from the identity to the member, a missing one included: `['traits', 'name', 'first']`. */
  path: string[];
  /** What is wrong with it, to go on a sentence: `is required`. */
  words: string;
}

/** What a schema refuses in the traits, in its order: empty when it refuses nothing, undefined where that cannot be told here. */
export type SchemaCheck = (traits: unknown) => Objection[] | undefined;

/** Keywords that only say that something inside them fails. */
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
 * Checks before anything is sent, as far as a browser can tell: the identity service decides. The schema is interpreted;
 * compiling it would need a page that may evaluate text. Not everything is understood here: references to other
 * documents, patterns of another dialect. It takes as long as the schema's author has it take.
 */
export function schemaCheck(schema: JsonSchema): SchemaCheck {
  const validator = validatorFor(schema);
  return (traits) => {
    try {
      return validator
        ?.validate({ traits })
        .errors.filter((error) => isObjection(error, { traits }))
        .map((error) => objectionOf(error, schema));
    } catch {
      return undefined;
    }
  };
}

function validatorFor(schema: JsonSchema): Validator | undefined {
  const name = String(schema.$schema);
  const draft = name.includes('2020-12')
    ? '2020-12'
    : name.includes('2019-09')
      ? '2019-09'
      : name.includes('draft-04')
        ? '4'
        : '7';
  try {
    // A copy, because the validator writes into it.
    return new Validator(structuredClone(schema) as Schema, draft, false);
  } catch {
    return undefined;
  }
}

/** The store takes addresses beyond ASCII, which the validator's own check of `email` refuses. */
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
      return 'holds the same item twice';
    default:
      return error.replace(/^(?:Instance|String|Array|-?[\d.e+-]+) /, '').replace(/\.$/, '');
  }
}

/** An example says more than a pattern; where the schema gives none, the pattern has to do. */
function formatForm(keywordLocation: string, schema: JsonSchema): string {
  const [, ...steps] = stepsOf(keywordLocation).toReversed();
  const member = steps.reduceRight<unknown>((part, step) => (isObject(part) ? part[step] : undefined), schema);
  const { pattern, examples } = isObject(member) ? member : {};
  const [example] = Array.isArray(examples) ? examples : [];
  if (typeof example === 'string') return `is not of the form ${example}`;
  return typeof pattern === 'string' ? `does not match the pattern ${pattern}` : 'does not match the schema’s pattern';
}

const quotedIn = (error: string): string => /"([^"]*)"/.exec(error)?.[1] ?? '';

/** Of a JSON pointer in a fragment (RFC 6901, 6). */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
