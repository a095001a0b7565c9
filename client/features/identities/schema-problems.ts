import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../../api/identity-schemas.ts';
import type { Problems } from './upstream-reasons.ts';

/** Keywords that only say that something inside them fails. */
const CONTAINERS = new Set([
  '$ref',
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'allOf',
  'if',
  'dependencies',
  'dependentSchemas',
]);

/**
 * What the schema has against these traits, as far as this browser can tell: the identity service decides. The schema
 * is interpreted; one that compiled it would need what the page's policy forbids.
 */
export function schemaProblems(schema: JsonSchema, traits: unknown): Problems {
  try {
    const { errors } = new Validator(schema as Schema, draftOf(schema), false).validate({ traits });
    return Object.fromEntries(
      errors
        .filter(({ keyword }) => !CONTAINERS.has(keyword))
        .map(problemOf)
        .reverse(),
    );
  } catch {
    // A pattern or reference that only the identity service understands.
    return {};
  }
}

const draftOf = ({ $schema }: JsonSchema): '4' | '7' | '2019-09' | '2020-12' => {
  const name = String($schema ?? '');
  return name.includes('2020-12')
    ? '2020-12'
    : name.includes('2019-09')
      ? '2019-09'
      : name.includes('draft-04')
        ? '4'
        : '7';
};

function problemOf({ keyword, instanceLocation, error }: OutputUnit): [pointer: string, text: string] {
  const pointer = decodeURIComponent(instanceLocation.slice(1));
  const quoted = /"([^"]*)"/.exec(error)?.[1] ?? '';
  switch (keyword) {
    case 'required':
      return [`${pointer}/${quoted}`, 'This is required.'];
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return [`${pointer}/${quoted}`, 'The schema does not know this.'];
    case 'false':
      return [pointer, 'The schema does not know this.'];
    case 'type':
      return [pointer, `Expected ${/Expected (.+)\.$/.exec(error)?.[1]?.replaceAll('"', '') ?? 'another type'}.`];
    case 'format':
      return [pointer, `This is not a valid ${quoted === 'email' ? 'e-mail address' : quoted}.`];
    case 'pattern':
      return [pointer, 'This does not have the expected form.'];
    case 'enum':
    case 'const':
      return [pointer, 'This is not one of the allowed values.'];
    default:
      return [pointer, error];
  }
}
