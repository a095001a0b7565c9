import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonSchema, resolved } from '../../../shared/json.ts';
import { type IdentitySchema, identitySchemaQuery } from '../../api/identity-schemas.ts';
import { titleOf } from '../../record/trait-kind.ts';

/** What a trait is used for besides being stored. */
export interface TraitUse {
  label: string;
  meaning: string;
}

const VIAS: Record<string, string> = { email: 'e-mail', sms: 'text message', phone: 'text message' };
const via = (value: unknown): string =>
  typeof value === 'string' ? (Object.hasOwn(VIAS, value) ? (VIAS[value] ?? value) : value) : 'message';

/** `credentials.<type>.identifier: true` */
const IDENTIFIERS: Record<string, TraitUse> = {
  password: {
    label: 'Signs in with a password',
    meaning: 'Entered with the password. No two identities may share it.',
  },
  webauthn: { label: 'Signs in with a security key', meaning: 'Identifies the account before the key is used.' },
  code: { label: 'Signs in with a code', meaning: 'A one-time code is sent here. No two identities may share it.' },
  oidc: { label: 'Signs in with a provider', meaning: 'Compared with the value from the social provider.' },
};

/** Describes Kratos' schema extension `ory.sh/kratos`; unknown parts are shown by their names. */
export function usesOf(extension: unknown): TraitUse[] {
  if (!isObject(extension)) return [];
  return Object.entries(extension).flatMap(([part, value]): TraitUse[] => {
    switch (part) {
      case 'credentials':
        return isObject(value) ? Object.entries(value).flatMap(([type, by]) => credentialUse(type, by)) : [];
      case 'verification':
        return isObject(value)
          ? [
              {
                label: `Verified by ${via(value.via)}`,
                meaning: 'The person proves ownership with a code or link sent here.',
              },
            ]
          : [];
      case 'recovery':
        return isObject(value)
          ? [
              {
                label: `Recovers by ${via(value.via)}`,
                meaning: 'A person who lost access regains it with a code or link sent here.',
              },
            ]
          : [];
      case 'organizations':
        return [{ label: 'Assigns the organisation', meaning: 'The domain determines the identity’s organisation.' }];
      default:
        return [unknownUse(part)];
    }
  });
}

function credentialUse(type: string, by: unknown): TraitUse[] {
  if (!isObject(by)) return [];
  if (type === 'totp' && by.account_name === true)
    return [{ label: 'Names the authenticator app’s entry', meaning: 'Shown in the app next to the codes.' }];
  if (type === 'passkey' && by.display_name === true)
    return [{ label: 'Names the passkey', meaning: 'Shown when choosing a passkey.' }];
  const used = by.identifier === true || typeof by.via === 'string';
  if (!used) return Object.values(by).some((value) => value === true) ? [unknownUse(`credentials.${type}`)] : [];
  const known = Object.hasOwn(IDENTIFIERS, type) ? IDENTIFIERS[type] : undefined;
  if (known === undefined) return [unknownUse(`credentials.${type}`)];
  return type === 'code' && by.via !== undefined
    ? [{ ...known, label: `Signs in with a code by ${via(by.via)}` }]
    : [known];
}

const unknownUse = (name: string): TraitUse => ({
  label: name,
  meaning: 'This dashboard does not know this use. See the JSON and Kratos’ documentation.',
});

/** A trait as a schema describes it, with the traits within it. */
export interface TraitNode {
  /** Its name in the JSON, or a description such as “each entry” for a node that represents many members. */
  key: string;
  title: string;
  /** The kind of value: “text or nothing”. */
  kind: string;
  required: boolean;
  description: string | undefined;
  /** Further constraints: “at most 64 characters”. */
  rules: readonly string[];
  uses: readonly TraitUse[];
  children: readonly TraitNode[];
}

/** More than any real schema needs; a recursive schema would never end. */
const DEPTH_MAX = 8;
const NODES_MAX = 400;

/** The traits that a schema defines. @returns `complete`: false if a limit was reached */
export function traitTree(schema: JsonSchema): {
  traits: readonly TraitNode[];
  rules: readonly string[];
  complete: boolean;
} {
  const reading = { root: schema, left: NODES_MAX, complete: true };
  const traits = resolved(isObject(schema.properties) ? schema.properties.traits : undefined, schema);
  return { traits: membersOf(traits, reading, 0), rules: rulesOf(traits), complete: reading.complete };
}

interface Reading {
  root: JsonSchema;
  left: number;
  complete: boolean;
}

function membersOf(schema: JsonSchema, reading: Reading, depth: number): TraitNode[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const variants = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) && valuesOf(schema) === undefined
      ? list.map((part, index): [string, unknown] => [`${VARIANTS[keyword]} ${index + 1}`, part])
      : [];
  });
  const entries = schema.items === undefined ? [] : [['each entry', schema.items] as [string, unknown]];
  return [
    ...members.flatMap(([key, member]) => nodeOf(key, member, required.includes(key), reading, depth)),
    ...[...entries, ...variants].flatMap(([key, part]) => nodeOf(key, part, false, reading, depth)),
  ];
}

const VARIANTS = { allOf: 'all of', anyOf: 'any of', oneOf: 'one of' } as const;

function nodeOf(key: string, part: unknown, required: boolean, reading: Reading, depth: number): TraitNode[] {
  if (reading.left === 0 || depth === DEPTH_MAX) {
    reading.complete = false;
    return [];
  }
  reading.left -= 1;
  const schema = resolved(part, reading.root);
  return [
    {
      key,
      title: titleOf(schema, key),
      kind: kindOf(schema),
      required,
      description: typeof schema.description === 'string' && schema.description !== '' ? schema.description : undefined,
      rules: rulesOf(schema),
      uses: usesOf(schema['ory.sh/kratos']),
      children: membersOf(schema, reading, depth + 1),
    },
  ];
}

const KINDS: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'yes or no',
  object: 'group',
  array: 'list',
  null: 'nothing',
};
const FORMATS: Record<string, string> = {
  email: 'e-mail address',
  tel: 'international phone number',
  date: 'date',
  'date-time': 'date and time',
  uri: 'web address',
  uuid: 'UUID',
};

function kindOf(schema: JsonSchema): string {
  if (typeof schema.format === 'string') return word(FORMATS, schema.format);
  const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  if (types.length > 0) return types.map((type) => word(KINDS, type)).join(' or ');
  if (valuesOf(schema) !== undefined) return 'a choice';
  return schema.const === undefined ? 'anything' : 'a fixed value';
}

const word = (words: Record<string, string>, name: string): string =>
  Object.hasOwn(words, name) ? (words[name] ?? name) : name;

function valuesOf({ enum: values, oneOf }: JsonSchema): string[] | undefined {
  if (Array.isArray(values)) return values.map(shown);
  if (!Array.isArray(oneOf) || !oneOf.every((one) => isObject(one) && 'const' in one)) return undefined;
  return oneOf.map((one) => {
    const { const: value, title } = one as { const: unknown; title?: unknown };
    return typeof title === 'string' ? `${shown(value)} (${title})` : shown(value);
  });
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Keywords with one value, which replaces `%`. */
const LIMITS: Record<string, string> = {
  minLength: 'at least % characters',
  maxLength: 'at most % characters',
  minimum: 'at least %',
  maximum: 'at most %',
  exclusiveMinimum: 'more than %',
  exclusiveMaximum: 'less than %',
  multipleOf: 'a multiple of %',
  minItems: 'at least % entries',
  maxItems: 'at most % entries',
  minProperties: 'at least % members',
  maxProperties: 'at most % members',
  pattern: 'matches %',
  const: 'always %',
  default: 'suggested: %',
};
const CONDITIONS = [
  'not',
  'if',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'contains',
];

function rulesOf(schema: JsonSchema): string[] {
  const values = valuesOf(schema);
  return [
    ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
    ...Object.entries(LIMITS).flatMap(([keyword, words]) =>
      schema[keyword] === undefined ? [] : [words.replace('%', () => shown(schema[keyword]))],
    ),
    ...(schema.uniqueItems === true ? ['no duplicate entries'] : []),
    ...(schema.readOnly === true ? ['read only'] : []),
    ...(schema.additionalProperties === false ? ['no other members'] : []),
    ...(CONDITIONS.some((keyword) => schema[keyword] !== undefined) ? ['further conditions: see the JSON'] : []),
  ];
}

/** A schema with its id, which is not part of the schema itself. */
export const schemaQuery = (id: string) =>
  queryOptions({ ...identitySchemaQuery(id), select: (schema): IdentitySchema => ({ id, schema }) });

/** A schema's title, or else its id. */
export const schemaName = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title.trim() !== '' ? schema.title : id;

/** The number of traits, and the titles of those that people sign in with. */
export function schemaSummary({ schema }: IdentitySchema): { traits: number; signsInWith: string[] } {
  const { traits } = traitTree(schema);
  const all = traits.flatMap(withDescendants);
  const used = all.filter(({ uses }) => uses.some(({ label }) => label.startsWith('Signs in')));
  return { traits: traits.length, signsInWith: used.map(({ title }) => title) };
}

const withDescendants = (node: TraitNode): TraitNode[] => [node, ...node.children.flatMap(withDescendants)];
