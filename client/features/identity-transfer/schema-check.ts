import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { asPlainJson } from './exact-json.ts';

/** What a schema refuses in the traits, in words: empty when it refuses nothing. */
export type TraitsCheck = (traits: unknown) => string[];

/** Keywords that only say that something below them is wrong. */
const HEADINGS = [
  'properties',
  'additionalProperties',
  'patternProperties',
  'items',
  'additionalItems',
  'allOf',
  '$ref',
];

/**
 * Checks before anything is sent. It interprets the schema; compiling it would need a page that may evaluate text. What
 * the browser cannot judge (references to other documents, patterns of another dialect) is left to the store.
 */
export function traitsCheck(schema: Record<string, unknown>): TraitsCheck {
  const validator = validatorFor(schema);
  return (traits) => {
    try {
      const instance = asPlainJson({ traits });
      const problems = validator?.validate(instance).errors.filter((error) => isProblem(error, instance)) ?? [];
      return [...new Set(problems.map((error) => `${placeOf(error)}: ${wordsFor(error)}`))];
    } catch {
      return [];
    }
  };
}

function validatorFor(schema: Record<string, unknown>): Validator | undefined {
  const draft = String(schema.$schema).includes('draft-04') ? '4' : '7';
  try {
    // A copy, because the validator writes into it.
    return new Validator(structuredClone(schema) as Schema, draft, false);
  } catch {
    return undefined;
  }
}

/** The store takes addresses beyond ASCII, which the validator's own check of `email` refuses. */
function isProblem({ keyword, instanceLocation, error }: OutputUnit, instance: unknown): boolean {
  if (HEADINGS.includes(keyword)) return false;
  if (keyword !== 'format' || quotedIn(error) !== 'email') return true;
  const value = stepsOf(instanceLocation).reduce<unknown>(
    (part, step) => (part as Record<string, unknown>)[step],
    instance,
  );
  return typeof value === 'string' && !/^[^@\s]\S*@[^@\s]+$/.test(value);
}

function wordsFor({ keyword, error }: OutputUnit): string {
  switch (keyword) {
    case 'required':
      return `“${quotedIn(error)}” is missing`;
    case 'false':
      return 'is not allowed here';
    case 'format':
      return `is not a valid ${quotedIn(error)}`;
    case 'type':
      return `must be ${/Expected (.*)\.$/.exec(error)?.[1]?.replaceAll('"', '')}, is ${quotedIn(error)}`;
    default:
      return error.replace(/^Instance /, '').replace(/\.$/, '');
  }
}

const quotedIn = (error: string): string => /"([^"]*)"/.exec(error)?.[1] ?? '';

const placeOf = ({ instanceLocation }: OutputUnit): string => stepsOf(instanceLocation).join('.');

/** Of a JSON pointer in a fragment (RFC 6901, 6). */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~'));
