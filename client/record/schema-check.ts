import { format, type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import {
  attempt,
  isObject,
  type JsonObject,
  type JsonSchema,
  keysOf,
  membersOf,
  pick,
  whole,
} from '../../shared/json.ts';

const HOSTNAME = /^(?!-)(?=.{1,253}\.?$)(?:[a-z\d-]{0,62}[a-z\d]\.)*[a-z\d-]{0,62}[a-z\d]\.?$/i;
const LOCAL_PART = /^(?:[^\0- .()<>[\]:;@\\,"\x7f]+(?:\.[^\0- .()<>[\]:;@\\,"\x7f]+)*|"(?:[^"\\\r\n]|\\.)+")$/;
const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

function isEmail(text: string): boolean {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/s.exec(text) ?? [];
  const isShort = bytesIn(text) <= 254 && bytesIn(local) <= 64;
  return isShort && LOCAL_PART.test(local) && HOSTNAME.test(host) && !host.endsWith('.');
}

const SCHEME = '[a-z][a-z\\d+.-]*:';
/** A host has no space, and a path no broken escape; a path without a scheme has no colon before its first slash. */
const REST = '(?!//[^/?#]* |/[^?#]*%(?![\\da-f]{2}))[^\\0-\\x1f\\x7f]*$';
const URI = new RegExp(`^${SCHEME}${REST}`, 'i');
const REFERENCE = new RegExp(`^(?:${SCHEME}|(?![^/?#]*:))${REST}`, 'i');

const TIME = '(?:[01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:[.,]\\d+)?(?:Z|[+-](?:[01]\\d|2[0-4]):[0-5]\\d)$';
const DATE_TIME = new RegExp(`^.{10}T${TIME}`);

/** As formats.go of ory/jsonschema, which uses Go's parsers. References are checked less strictly here. */
const RULES: Readonly<Record<string, RegExp | ((text: string) => boolean | undefined)>> = {
  'date-time': (text) => DATE_TIME.test(text) && format.date?.(text.slice(0, 10)),
  time: new RegExp(`^${TIME}`),
  hostname: HOSTNAME,
  email: isEmail,
  // Only the identity service knows which numbers a country has.
  tel: /^[^+＋\d]*[+＋]\D*(?:1\D*[2-9](?:\D*\d){9}|[2-9](?:\D*\d){6,16})\D*(?:(?:;|ext|x|#).*)?$/i,
  'ip-address': (text) => format.ipv4?.(text),
  uri: URI,
  iri: URI,
  'uri-reference': REFERENCE,
  uriref: REFERENCE,
  'iri-reference': REFERENCE,
  'uri-template': /^(?:[^{}?#]|\{[^{}/?#]*\})*(?:$|[?#])/,
  regex: (text) => !/\(\?<?[=!]/.test(text) && attempt(() => new RegExp(text.replace(/^\(\?i\)/, ''))) !== undefined,
};
for (const [name, rule] of Object.entries(RULES))
  format[name] = rule instanceof RegExp ? (text) => rule.test(text) : (text) => rule(text) === true;
for (const name of ['duration', 'json-pointer-uri-fragment', 'url', 'uuid']) delete format[name];

/** The validator’s formats: only those of Kratos v26.2.0, which ignores all others. */
const KRATOS_FORMATS = format;

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
  const validatorOf = (one: object) => new Validator(one as Schema, draft, false);
  // The validator mutates its schema.
  const validator = attempt(() => validatorOf(asInKratos(schema)));
  return (traits) =>
    attempt(() => {
      const errors = validator?.validate({ traits }).errors;
      if (errors === undefined || errors.length === 0) return errors && [];
      const root = asInKratos(schema);
      const chosen = { ...root, properties: { traits: chosenBy(traits, membersOf(root.properties).traits, root) } };
      return objectionsIn(errors, attempt(() => validatorOf(chosen).validate({ traits }).errors) ?? [], schema);
    });
}

/** Keywords of drafts that Kratos does not know. */
const LATER = /^(?:prefixItems|unevaluated(?:Items|Properties)|(?:min|max)Contains|dependent(?:Required|Schemas))$/;

/** A copy with the keywords and formats of Kratos (schema.go of ory/jsonschema), where only text fits a format. */
const asInKratos = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (key, part: unknown) => {
    if (LATER.test(key)) return undefined;
    if (!isObject(part)) return part;
    const formats = [...new Set([part.format, ...addressFormats(part)])].map(String);
    const rules = formats
      .filter((name) => Object.hasOwn(KRATOS_FORMATS, name))
      .map((name) => ({ type: 'string', ...(name !== part.format && { format: name }) }));
    return rules.length === 0 ? part : { ...part, allOf: [part.allOf ?? [], rules].flat() };
  }) as JsonSchema;

/** Kratos sends messages to valid addresses only, whatever the format of the trait. */
function addressFormats({ format, 'ory.sh/kratos': extension }: JsonObject): string[] {
  const { recovery, verification, credentials } = membersOf(extension);
  const [reset, verify, code] = [recovery, verification, membersOf(credentials).code].map((use) => membersOf(use).via);
  const isEmail = reset === 'email' || (!format && verify === 'email');
  return [...(isEmail ? ['email'] : []), ...(reset === 'sms' || code === 'sms' ? ['tel'] : [])];
}

/** Keywords of branches, which the form resolves, and names that must be unique in a document. */
const RESOLVED = ['oneOf', 'anyOf', 'if', 'then', 'else', 'dependencies', '$id', 'id', '$anchor'];

/** The schema with the branches that an object chooses, as its form has it. */
function chosenBy(value: unknown, schema: unknown, root: JsonSchema): unknown {
  if (Array.isArray(value) && isObject(schema) && isObject(schema.items))
    return { ...schema, items: value.map((item) => chosenBy(item, schema.items, root)) };
  if (!isObject(value)) return schema;
  const here = pick(whole(schema, root, value), (key) => !RESOLVED.includes(key));
  const properties = Object.entries(membersOf(here.properties)).map(([key, one]) => [
    key,
    Object.hasOwn(value, key) ? chosenBy(value[key], one, root) : one,
  ]);
  return { ...here, properties: Object.fromEntries(properties) };
}

const sameError = (a: OutputUnit) => (b: OutputUnit) =>
  a.instanceLocation === b.instanceLocation && a.keyword === b.keyword && a.error === b.error;

/**
 * Reports failed alternatives of `anyOf` or `oneOf` once: by the errors of the chosen one, otherwise by the members that
 * each lacks or the errors within.
 * @param visible the errors of the chosen alternatives, whose members have fields
 */
function objectionsIn(errors: readonly OutputUnit[], visible: readonly OutputUnit[], schema: JsonSchema): Objection[] {
  const objections = new Set(errors.filter(({ keyword }) => !CONTAINERS.test(keyword)));
  const sentences = new Map<OutputUnit, string>();
  for (const unmet of [...objections].filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const branchesAt = `${unmet.keywordLocation}/`;
    const within = [...objections].filter(({ keywordLocation }) => keywordLocation.startsWith(branchesAt));
    if (within.length === 0) continue;
    const lacks = within.every(
      ({ keyword, instanceLocation }) => keyword === 'required' && instanceLocation === unmet.instanceLocation,
    );
    const isChosen = visible.some(
      (error) =>
        within.some(sameError(error)) ||
        (lacks && error.keyword === 'required' && error.instanceLocation === unmet.instanceLocation),
    );
    if (lacks && !isChosen) {
      const branchOf = ({ keywordLocation }: OutputUnit) => keywordLocation.slice(branchesAt.length).split('/')[0];
      const branches = [...new Set(within.map(branchOf))].map((branch) =>
        within.flatMap((error) => (branchOf(error) === branch ? quotedIn(error.error) : [])).join(' and '),
      );
      sentences.set(unmet, `needs ${branches.join(' or ')}`);
    } else objections.delete(unmet);
    for (const error of within) if (isChosen ? !visible.some(sameError(error)) : lacks) objections.delete(error);
  }
  return [...objections].map((error) => {
    const words = sentences.get(error);
    return words === undefined ? objectionOf(error, schema) : { path: stepsOf(error.instanceLocation), words };
  });
}

function objectionOf({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, schema: JsonSchema): Objection {
  const path = stepsOf(instanceLocation);
  return keyword === 'required' || keyword === 'dependencies'
    ? { path: [...path, /"([^"]*)"\.$/.exec(error)?.[1] ?? ''], words: 'is required' }
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
    case 'const':
      return `must be ${/match (.*)\.$/.exec(error)?.[1]}`;
    case 'not':
      return 'is not allowed';
    case 'oneOf':
      return 'matches several alternatives, but only one may match';
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
