import { type Capability, can, ROLES } from '../../shared/capabilities.ts';
import type { ErrorCode } from '../../shared/errors.ts';

/** The parts of JSON Schema (draft 2020-12) used here. */
export interface Schema {
  [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description?: string;
  required?: true;
  schema: Schema;
}

/** A response other than an error. */
export interface ResponseEntry {
  description: string;
  /** Absent if the response has no body. */
  body?: Schema;
  headers?: Record<string, string>;
}

/** `status` is for callers with access. `none` is without a session: by default 401, or `status` on public routes. */
export type Example = readonly [target: string, status: number, none?: number];

/** A route of the service. The mounted routers, real responses and `docs/openapi.json` are checked against it. */
export interface RouteEntry {
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** Parameters are in braces, as in `/api/settings/{key}`. */
  path: string;
  /** The capability that a caller needs; `anyone` needs not even a session. */
  who: Capability | 'anyone';
  tag: string;
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  body?: Schema;
  responses: Readonly<Record<number, ResponseEntry>>;
  /** Errors besides those that follow from `who` and those that any request can have. */
  errors?: readonly ErrorCode[];
  examples?: readonly Example[];
}

/** The error codes of a route, besides those that any request can have. */
export const errorsOf = ({ who, errors = [] }: RouteEntry): ErrorCode[] => [
  ...(who === 'anyone' ? [] : (['not_authenticated'] as const)),
  ...(who !== 'anyone' && ROLES.some((role) => !can(role, who)) ? (['forbidden'] as const) : []),
  ...errors,
];

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const time: Schema = { type: 'string', format: 'date-time' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
/** The id of an identity, or of an operator by claims, who has none. */
export const operatorId: Schema = { anyOf: [uuid, { type: 'string', pattern: '^oidc:[0-9a-f]{32}$' }] };
export const openObject: Schema = { type: 'object' };

export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: [...values] });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const nextPage = { next_page_token: orNull(text), has_more: flag };
export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });

/** An object with exactly these members; does not compile if they differ from those of `T`. */
export const objectOf = <T>(
  properties: { [Name in keyof Required<T>]: Schema },
  optional: readonly (keyof T)[] = [],
): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name as keyof T)),
  additionalProperties: false,
});

export const component = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An optional query parameter. */
export const query = (name: string, schema: Schema, description?: string): Parameter => ({
  name,
  in: 'query',
  ...(description === undefined ? {} : { description }),
  schema,
});

/** Of acts that are recorded, also through the proxies. */
export const REASON: Parameter = {
  ...query('Dashboard-Reason', { type: 'string' }, 'For the record, percent-encoded: at most 200 characters.'),
  in: 'header',
};

export const inPath = (name: string, schema: Schema, description?: string): Parameter => ({
  ...query(name, schema, description),
  in: 'path',
  required: true,
});
