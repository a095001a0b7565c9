import { decodeJson, GoJsonError, goTypeOf, isObject } from '../go.ts';
import { type Answer, BodyTooLarge, type Call, json } from '../http.ts';
import { normalised } from './identity-store.ts';

/** The members of an error body, in Kratos' order. */
interface ErrorMembers {
  id?: string;
  code: number;
  status: string;
  request?: string;
  reason?: string;
  details?: Record<string, unknown>;
  message: string;
}

export class IdentityServiceError extends Error {
  /** The HTTP status; `members.code` differs from it in a few responses. */
  readonly status: number;
  readonly members: ErrorMembers;

  constructor(status: number, members: ErrorMembers) {
    super(members.message);
    this.status = status;
    this.members = members;
  }
}

const MALFORMED = 'The request was malformed or contained invalid parameters';

/** 400 with a reason. */
export const malformed = (reason: string, message = MALFORMED, id?: string): IdentityServiceError =>
  new IdentityServiceError(400, { id, code: 400, status: 'Bad Request', reason, message });

/** 400 with only a message, as Kratos passes on errors of its libraries. */
export const badMessage = (message: string): IdentityServiceError =>
  new IdentityServiceError(400, { code: 400, status: 'Bad Request', message });

/** 400 whose body says 500, as for the newer lists and the batch. */
export const badDisguised = (message: string): IdentityServiceError =>
  new IdentityServiceError(400, { code: 500, status: 'Internal Server Error', message });

export const notFound = (reason?: string): IdentityServiceError =>
  new IdentityServiceError(404, { code: 404, status: 'Not Found', reason, message: 'Unable to locate the resource' });

export const noSuchResource = (reason: string): IdentityServiceError =>
  new IdentityServiceError(404, {
    code: 404,
    status: 'Not Found',
    reason,
    message: 'The requested resource could not be found',
  });

export const unauthorized = (reason: string): IdentityServiceError =>
  new IdentityServiceError(401, {
    code: 401,
    status: 'Unauthorized',
    reason,
    message: 'The request could not be authorized',
  });

export const conflict = (): IdentityServiceError =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    message: 'Unable to insert or update resource because a resource with that value exists already',
  });

export const conflictOnCreate = (): IdentityServiceError =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    reason: 'This identity conflicts with another identity that already exists.',
    message: 'The resource could not be created due to a conflict',
  });

/** 503 of a service with pending migrations; its body says 500. */
export const unready = (message: string): IdentityServiceError =>
  new IdentityServiceError(503, { code: 500, status: 'Internal Server Error', message });

/** @param requestId the request's `X-Request-Id`, echoed in the body */
export function identityErrorAnswer(error: unknown, requestId: string | undefined): Answer {
  const { status, members } = known(error);
  const { id, code, status: name, reason, details, message } = members;
  const body = { error: { id, code, status: name, request: requestId, reason, details, message } };
  return json(status, body, { 'Content-Type': 'application/json', 'Ory-Error-Id': id ?? '' });
}

function known(error: unknown): IdentityServiceError {
  if (error instanceof IdentityServiceError) return error;
  if (error instanceof BodyTooLarge || error instanceof GoJsonError) return badMessage(error.message);
  process.emitWarning(error instanceof Error ? error : String(error));
  const message = 'An internal server error occurred, please contact the system administrator';
  return new IdentityServiceError(500, { code: 500, status: 'Internal Server Error', message });
}

/**
 * The body of a route that requires `application/json`: an object, unknown members included.
 * @throws IdentityServiceError 400
 */
export function requiredBody(call: Call): Record<string, unknown> {
  if (call.body === '')
    throw malformed('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.');
  const type = call.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim() !== 'application/json')
    throw malformed(
      `HTTP ${call.method} Request used unknown HTTP Header "Content-Type: ${type}", only [application/json] are supported.`,
    );
  try {
    const value = decodeJson(call.body);
    if (isObject(value)) return value;
    throw new GoJsonError(`json: cannot unmarshal ${goTypeOf(value)} into Go value`);
  } catch (error) {
    if (error instanceof GoJsonError) throw malformed(`Unable to decode JSON payload: ${error.message}`);
    throw error;
  }
}

export interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

/** What the schema's `ory.sh/kratos` keywords derive from the traits, normalised and without duplicates. */
export interface Derived {
  /** By credential type; a type named by the schema is present for everyone, used or not. */
  identifiers: Record<IdentifierType, string[]>;
  verifiable: string[];
  recovery: string[];
}

/** Credential types whose identifiers are traits. */
export const IDENTIFIER_TYPES = ['password', 'code', 'webauthn'] as const;
type IdentifierType = (typeof IDENTIFIER_TYPES)[number];

interface Extension {
  credentials?: Partial<Record<IdentifierType, { identifier?: boolean }>>;
  verification?: { via?: string };
  recovery?: { via?: string };
}

export function deriveFromTraits(schema: JsonSchema, traits: Record<string, unknown>): Derived {
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
    if (Array.isArray(value)) for (const item of value) visit(part.items as JsonSchema | undefined, item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) visit(part.properties?.[name], member);
  };
  visit(schema.properties?.traits, traits);
  const { password, code, webauthn } = identifiers;
  return {
    identifiers: { password: [...password], code: [...code], webauthn: [...webauthn] },
    verifiable: [...verifiable],
    recovery: [...recovery],
  };
}

/** What is wrong where: `instance` and `schema` are JSON pointers. A problem with causes is a heading for them. */
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
    if (Array.isArray(value)) problems.push(...checkArray(schema, value, at, path, fail));
    else if (isObject(value)) problems.push(...checkObject(schema, value, at, path, fail));
  }
  if (problems.length < 2) return problems[0];
  return { instance: at, schema: path, message: 'validation failed', causes: problems };
}

type Fail = (keyword: string, message: string) => void;

function checkType(schema: JsonSchema, value: unknown, fail: Fail): void {
  if (schema.type === undefined) return;
  const allowed = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)];
  const type = goTypeOf(value) === 'bool' ? 'boolean' : goTypeOf(value);
  const fits = allowed.includes(type) || (allowed.includes('integer') && Number.isInteger(value));
  if (!fits) fail('type', `expected ${allowed.join(' or ')}, but got ${type}`);
}

/** The formats used in identity schemas. */
const FORMATS: Record<string, RegExp> = {
  email: /^[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+$/,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  tel: /^\+?[0-9 ()/-]{3,}$/,
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

function checkArray(schema: JsonSchema, value: unknown[], at: string, path: string, fail: Fail): Problem[] {
  const { minItems, maxItems, items } = schema;
  const found = value.length;
  if (typeof minItems === 'number' && found < minItems)
    fail('minItems', `minimum ${minItems} items allowed, but found ${found} items`);
  if (typeof maxItems === 'number' && found > maxItems)
    fail('maxItems', `maximum ${maxItems} items allowed, but found ${found} items`);
  if (!isObject(items)) return [];
  return value.flatMap((item, index) => check(items, item, `${at}/${index}`, `${path}/items`) ?? []);
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
