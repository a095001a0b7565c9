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
  /** Absent: no body. */
  body?: Schema;
  headers?: Record<string, string>;
}

/** The status for whoever is allowed, and without a session if that is neither the same nor a refusal. */
export type Example = readonly [target: string, status: number, none?: number];

/** A route of the service. Its routers, real responses and `docs/openapi.json` are checked against these. */
export interface RouteEntry {
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces: `/api/settings/{key}`. */
  path: string;
  /** What a role needs; `anyone`: not even a session. */
  who: Capability | 'anyone';
  tag: string;
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  body?: Schema;
  responses: Readonly<Record<number, ResponseEntry>>;
  /** Its own errors, without those that follow from `who` and those of any request. */
  errors?: readonly ErrorCode[];
  examples?: readonly Example[];
}

/** The codes a route can respond with, without those of any request. */
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

export const inPath = (name: string, schema: Schema, description?: string): Parameter => ({
  ...query(name, schema, description),
  in: 'path',
  required: true,
});
