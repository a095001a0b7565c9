import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { attempt, isObject, type JsonObject, type JsonSchema, keysOf, membersOf } from '../../../shared/json.ts';
import { KRATOS_FORMATS } from './kratos-formats.ts';

export interface Objection {
  /** Keys from the identity to the member, even a missing member: `['traits', 'name', 'first']`. */
  path: string[];
  /** The predicate of a sentence: `is required`. */
  words: string;
}

/** Checks traits against the schema, with results in schema order; undefined if this browser cannot check them. */
export type SchemaCheck = (traits: unknown) => Objection[] | undefined;

/** Keywords whose errors only repeat an error of a subschema. */
const CONTAINERS = /^(?:\$ref|properties|patternProperties|additionalProperties|items|additionalItems|allOf|if)$/;

const FORMATS: Record<string, string> = {
  email: 'e-mail address',
  tel: 'phone number with a country code',
};

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
  const draft = /draft-04/.test(String(schema.$schema)) ? '4' : '7';
  const validator = attempt(() => new Validator(asInKratos(schema), draft, false));
  return (traits) => attempt(() => validator && objectionsIn(validator.validate({ traits }).errors, schema));
}

/** Keywords of drafts that Kratos does not know. */
const LATER = /^(?:prefixItems|unevaluated(?:Items|Properties)|(?:min|max)Contains|dependent(?:Required|Schemas))$/;

/** A copy with the keywords and formats of Kratos (schema.go of ory/jsonschema), where only text fits a format. */
const asInKratos = (schema: JsonSchema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, part: unknown) => {
    if (LATER.test(key)) return undefined;
    if (!isObject(part)) return part;
    const formats = [...new Set([part.format, ...addressFormats(part)])].map(String);
    const rules = formats
      .filter((name) => Object.hasOwn(KRATOS_FORMATS, name))
      .map((name) => ({ type: 'string', ...(name !== part.format && { format: name }) }));
    return rules.length === 0 ? part : { ...part, allOf: [part.allOf ?? [], rules].flat() };
  });

/** Kratos sends messages to valid addresses only, whatever the format of the trait. */
function addressFormats({ format, 'ory.sh/kratos': extension }: JsonObject): string[] {
  const { recovery, verification, credentials } = membersOf(extension);
  const [reset, verify, code] = [recovery, verification, membersOf(credentials).code].map((use) => membersOf(use).via);
  const isEmail = reset === 'email' || (!format && verify === 'email');
  return [...(isEmail ? ['email'] : []), ...(reset === 'sms' || code === 'sms' ? ['tel'] : [])];
}

/** Reports failed alternatives of `anyOf` or `oneOf` once: by the members that each lacks, or by the errors within. */
function objectionsIn(errors: readonly OutputUnit[], schema: JsonSchema): Objection[] {
  const objections = new Set(errors.filter(({ keyword }) => !CONTAINERS.test(keyword)));
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
    const lacks = within.every(
      ({ keyword, instanceLocation }) => keyword === 'required' && instanceLocation === unmet.instanceLocation,
    );
    if (within.length === 0) continue;
    // The branches that another constant would choose: the form has no fields for them.
    for (const choosing of ['const', 'enum']) {
      const others = branches.filter((branch) => branch.some(({ keyword }) => keyword === choosing));
      if (others.length < branches.length) for (const error of others.flat()) objections.delete(error);
    }
    if (lacks)
      sentences.set(
        unmet,
        `needs ${branches.map((branch) => branch.map(({ error }) => quotedIn(error)).join(' and ')).join(' or ')}`,
      );
    else objections.delete(unmet);
    if (lacks) for (const error of within) objections.delete(error);
  }
  return [...objections].map((error) => {
    const words = sentences.get(error);
    return words === undefined ? objectionOf(error, schema) : { path: stepsOf(error.instanceLocation), words };
  });
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
      return `is not a valid ${FORMATS[quotedIn(error)] ?? quotedIn(error)}`;
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
