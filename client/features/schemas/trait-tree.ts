import { isObject, type JsonSchema, membersOf, resolved } from '../../../shared/json.ts';
import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { titleOf } from '../../record/traits.ts';

export interface TraitNode {
  /** The trait's name in the JSON, or a description such as “each entry”. */
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

/** Deeper than any real schema. Limits recursive schemas. */
const DEPTH_MAX = 8;
const NODES_MAX = 400;

/**
 * The traits that a schema defines.
 * @returns `others`: whether the schema allows further traits; `complete`: false if a limit was reached
 */
export function traitTree(schema: JsonSchema) {
  const walk = { root: schema, left: NODES_MAX, complete: true };
  const traits = resolved(membersOf(schema.properties).traits, schema);
  const nodes = childrenOf(traits, walk, 0);
  return { traits: nodes, others: traits.additionalProperties !== false, complete: walk.complete };
}

interface Walk {
  root: JsonSchema;
  left: number;
  complete: boolean;
}

function childrenOf(schema: JsonSchema, walk: Walk, depth: number): TraitNode[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(membersOf(schema.properties));
  const variants = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) && valuesOf(schema) === undefined
      ? list.map((part, index): [string, unknown] => [`${VARIANTS[keyword]} ${index + 1}`, part])
      : [];
  });
  const entries = schema.items === undefined ? [] : [['each entry', schema.items] as [string, unknown]];
  return [
    ...members.flatMap(([key, member]) => nodeOf(key, member, required.includes(key), walk, depth)),
    ...[...entries, ...variants].flatMap(([key, part]) => nodeOf(key, part, false, walk, depth)),
  ];
}

const VARIANTS = { allOf: 'all of', anyOf: 'any of', oneOf: 'one of' } as const;

function nodeOf(key: string, part: unknown, required: boolean, walk: Walk, depth: number): TraitNode[] {
  if (walk.left === 0 || depth === DEPTH_MAX) {
    walk.complete = false;
    return [];
  }
  walk.left -= 1;
  const schema = resolved(part, walk.root);
  return [
    {
      key,
      title: titleOf(schema, key),
      kind: kindOf(schema),
      required,
      description: typeof schema.description === 'string' && schema.description !== '' ? schema.description : undefined,
      rules: rulesOf(schema),
      uses: usesOf(schema['ory.sh/kratos']),
      children: childrenOf(schema, walk, depth + 1),
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
  if (typeof schema.format === 'string') return wordFor(FORMATS, schema.format);
  const types = [schema.type].flat().filter((type): type is string => typeof type === 'string');
  if (types.length > 0) return types.map((type) => wordFor(KINDS, type)).join(' or ');
  if (valuesOf(schema) !== undefined) return 'a choice';
  return schema.const === undefined ? 'anything' : 'a fixed value';
}

const wordFor = (words: Record<string, string>, name: string): string =>
  Object.hasOwn(words, name) ? (words[name] ?? name) : name;

function valuesOf({ enum: values, oneOf }: JsonSchema): string[] | undefined {
  if (Array.isArray(values)) return values.map(asText);
  if (!Array.isArray(oneOf) || !oneOf.every((one) => isObject(one) && 'const' in one)) return undefined;
  return oneOf.map((one) => {
    const { const: value, title } = one as { const: unknown; title?: unknown };
    return typeof title === 'string' ? `${asText(value)} (${title})` : asText(value);
  });
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Descriptions of keywords with one value, which replaces `%`. */
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
  minProperties: 'at least % fields',
  maxProperties: 'at most % fields',
  pattern: 'matches %',
  const: 'always %',
  default: 'default: %',
};
const CONDITIONS = 'not if dependencies dependentRequired dependentSchemas patternProperties contains'.split(' ');

function rulesOf(schema: JsonSchema): string[] {
  const values = valuesOf(schema);
  return [
    ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
    ...Object.entries(LIMITS).flatMap(([keyword, words]) =>
      schema[keyword] === undefined ? [] : [words.replace('%', () => asText(schema[keyword]))],
    ),
    ...(schema.uniqueItems === true ? ['no duplicate entries'] : []),
    ...(schema.readOnly === true ? ['read only'] : []),
    ...(schema.additionalProperties === false ? ['no other fields'] : []),
    ...(CONDITIONS.some((keyword) => schema[keyword] !== undefined) ? ['further conditions: see the JSON'] : []),
  ];
}

export interface TraitUse {
  label: string;
  meaning: string;
}

/** Describes the Kratos schema extension `ory.sh/kratos`. Unknown parts appear under their own names. */
export function usesOf(extension: unknown): TraitUse[] {
  return Object.entries(membersOf(extension)).flatMap(([part, value]): TraitUse[] => {
    switch (part) {
      case 'credentials':
        return Object.entries(membersOf(value)).flatMap(([type, by]) => credentialUse(type, by));
      case 'verification':
      case 'recovery':
        return isObject(value)
          ? [{ ...ADDRESS_USES[part], label: `${ADDRESS_USES[part].label} by ${via(value.via)}` }]
          : [];
      case 'organizations':
        return [{ label: 'Assigns the organization', meaning: 'The domain determines the identity’s organization.' }];
      default:
        return [unknownUse(part)];
    }
  });
}

const ADDRESS_USES = {
  verification: { label: 'Verification', meaning: 'The person confirms the address with a code or link sent here.' },
  recovery: {
    label: 'Account recovery',
    meaning: 'A person who has lost access regains it with a code or link sent here.',
  },
};

/** `credentials.<type>.identifier: true` */
const IDENTIFIERS: Record<string, TraitUse> = {
  password: {
    label: 'Signs in with a password',
    meaning: 'Entered with the password. No two identities may have the same value.',
  },
  webauthn: { label: 'Signs in with a security key', meaning: 'Identifies the account before the key is used.' },
  code: { label: 'Signs in with a code', meaning: 'A one-time code is sent here. The address must be unique.' },
  oidc: { label: 'Signs in with a provider', meaning: 'Compared with the value from the social provider.' },
};

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
  meaning: 'Unknown to this dashboard. See the JSON and the Kratos documentation.',
});

const VIAS: Record<string, string> = { email: 'e-mail', sms: 'text message', phone: 'text message' };
const via = (value: unknown): string => (typeof value === 'string' ? wordFor(VIAS, value) : 'message');

export const schemaName = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title.trim() !== '' ? schema.title : id;

/** The number of top-level traits, and the titles of those that people sign in with. */
export function schemaSummary({ schema }: IdentitySchema): { traits: number; signsInWith: string[] } {
  const { traits } = traitTree(schema);
  const identifiers = traits
    .flatMap(withDescendants)
    .filter(({ uses }) => uses.some(({ label }) => label.startsWith('Signs in')));
  return { traits: traits.length, signsInWith: identifiers.map(({ title }) => title) };
}

const withDescendants = (node: TraitNode): TraitNode[] => [node, ...node.children.flatMap(withDescendants)];
