import type { Router } from 'express';
import { isObject } from '../../../shared/json.ts';
import { typeName } from '../formats.ts';
import { queryOf } from '../http.ts';
import { pageHeaders, pageRequest } from '../paging.ts';
import { malformed, noSuchResource } from './errors.ts';
import { normalised } from './identities.ts';

/** The named schema, or the first. @throws IdentityServiceError 400 if it does not exist */
export function schemaOf(schemas: readonly IdentitySchema[], schemaId: string | undefined): IdentitySchema {
  const schema = schemaId ? schemas.find(({ id }) => id === schemaId) : schemas[0];
  if (schema === undefined) throw malformed(`Unable to find JSON Schema ID: ${schemaId}`);
  return schema;
}

/** `/schemas` on the public port; a schema is named plainly or as base64url. */
export function addSchemaRoutes(router: Router, schemas: readonly IdentitySchema[]): void {
  router.get('/schemas', (req, res) => {
    const query = queryOf(req);
    const requested = pageRequest(query, 500);
    const from = requested.page * requested.size;
    res.set(pageHeaders('/schemas', query, requested, schemas.length, true));
    res.json(schemas.slice(from, from + requested.size));
  });
  router.get('/schemas/:id', ({ params: { id } }, res) => {
    const names = [id, Buffer.from(id, 'base64url').toString()];
    const found = schemas.find((schema) => names.includes(schema.id));
    if (found === undefined) throw noSuchResource(`Identity schema \`${id}\` could not be found.`);
    res.json(found.schema);
  });
}

export interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

/** Credential types whose identifiers are traits. */
export const IDENTIFIER_TYPES = ['password', 'code', 'webauthn'] as const;

interface Extension {
  credentials?: Partial<Record<(typeof IDENTIFIER_TYPES)[number], { identifier?: boolean }>>;
  verification?: { via?: string };
  recovery?: { via?: string };
}

/** What the schema's `ory.sh/kratos` keywords derive from the traits, normalised and without duplicates. */
export function deriveFromTraits(schema: JsonSchema, traits: Record<string, unknown>) {
  const identifiers = { password: new Set<string>(), code: new Set<string>(), webauthn: new Set<string>() };
  const [verifiable, recovery] = [new Set<string>(), new Set<string>()];
  const visit = (part: JsonSchema | undefined, value: unknown): void => {
    if (part === undefined || value === undefined) return;
    const extension = part['ory.sh/kratos'] as Extension | undefined;
    if (extension !== undefined && typeof value === 'string' && value !== '') {
      for (const type of IDENTIFIER_TYPES)
        if (extension.credentials?.[type]?.identifier) identifiers[type].add(normalised(value));
      if (extension.verification?.via === 'email') verifiable.add(normalised(value));
      if (extension.recovery?.via === 'email') recovery.add(normalised(value));
    }
    if (isObject(value)) for (const [name, member] of Object.entries(value)) visit(part.properties?.[name], member);
  };
  visit(schema.properties?.traits, traits);
  const { password, code, webauthn } = identifiers;
  return {
    /** Identifiers by credential type; types that the schema names are present for everyone, used or not. */
    identifiers: { password: [...password], code: [...code], webauthn: [...webauthn] },
    verifiable: [...verifiable],
    recovery: [...recovery],
  };
}

/** A violation: `instance` and `schema` are JSON pointers. One with causes is a heading for them. */
interface Problem {
  instance: string;
  schema: string;
  message: string;
  causes: Problem[];
}

/** Validates traits against a schema. @returns the reason in Kratos' words; undefined if they are valid */
export function traitsProblem(schema: JsonSchema, traits: unknown): string | undefined {
  const problem = check(schema, { traits }, '#', '#');
  return problem && describe(problem, '').join('\n');
}

function describe({ instance, schema, message, causes }: Problem, indent: string): string[] {
  return [
    `${indent}I[${instance}] S[${schema}] ${message}`,
    ...causes.flatMap((cause) => describe(cause, `${indent}  `)),
  ];
}

/** A single problem is returned as it is, several under the heading of the violated schema. */
function check(schema: JsonSchema, value: unknown, at: string, path: string): Problem | undefined {
  const problems: Problem[] = [];
  const fail = (keyword: string, message: string) =>
    problems.push({ instance: at, schema: `${path}/${keyword}`, message, causes: [] });
  checkType(schema, value, fail);
  if (problems.length === 0) {
    if (Array.isArray(schema.enum) && !schema.enum.some((item) => JSON.stringify(item) === JSON.stringify(value)))
      fail('enum', `value must be one of ${schema.enum.map((item) => JSON.stringify(item)).join(', ')}`);
    if (typeof value === 'string') checkString(schema, value, fail);
    if (typeof value === 'number') checkNumber(schema, value, fail);
    if (isObject(value)) problems.push(...checkObject(schema, value, at, path, fail));
  }
  if (problems.length < 2) return problems[0];
  return { instance: at, schema: path, message: 'validation failed', causes: problems };
}

type Fail = (keyword: string, message: string) => void;

function checkType(schema: JsonSchema, value: unknown, fail: Fail): void {
  if (schema.type === undefined) return;
  const allowed = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)];
  const type = typeName(value) === 'bool' ? 'boolean' : typeName(value);
  const fits = allowed.includes(type) || (allowed.includes('integer') && Number.isInteger(value));
  if (!fits) fail('type', `expected ${allowed.join(' or ')}, but got ${type}`);
}

/** The formats in the sandbox's schemas, which have no lists either. */
const FORMATS: Record<string, RegExp> = {
  email: /^[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+$/,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
};

function checkString(schema: JsonSchema, value: string, fail: Fail): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = [...value].length;
  if (typeof minLength === 'number' && length < minLength)
    fail('minLength', `length must be >= ${minLength}, but got ${length}`);
  if (typeof maxLength === 'number' && length > maxLength)
    fail('maxLength', `length must be <= ${maxLength}, but got ${length}`);
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value))
    fail('pattern', `does not match pattern ${JSON.stringify(pattern)}`);
  if (typeof format !== 'string' || FORMATS[format]?.test(value) !== false) return;
  // Kratos validates an address that is verified by mail twice, and reports it twice.
  const extension = schema['ory.sh/kratos'] as { verification?: unknown } | undefined;
  for (let times = extension?.verification === undefined ? 1 : 2; times > 0; times -= 1)
    fail('format', `${JSON.stringify(value)} is not valid ${JSON.stringify(format)}`);
}

function checkNumber({ minimum, maximum }: JsonSchema, value: number, fail: Fail): void {
  if (typeof minimum === 'number' && value < minimum) fail('minimum', `must be >= ${minimum} but found ${value}`);
  if (typeof maximum === 'number' && value > maximum) fail('maximum', `must be <= ${maximum} but found ${value}`);
}

function checkObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
  at: string,
  path: string,
  fail: Fail,
): Problem[] {
  const { required, properties = {}, additionalProperties } = schema;
  const missing = Array.isArray(required) ? required.filter((name) => !Object.hasOwn(value, String(name))) : [];
  if (missing.length > 0) fail('required', `missing properties: ${quoted(missing)}`);
  const extra = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  if (additionalProperties === false && extra.length > 0)
    fail('additionalProperties', `additionalProperties ${quoted(extra)} not allowed`);
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!Object.hasOwn(value, name)) return [];
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return check(property, value[name], `${at}/${step}`, `${path}/properties/${step}`) ?? [];
  });
}

const quoted = (names: unknown[]): string => names.map((name) => JSON.stringify(name)).join(', ');
