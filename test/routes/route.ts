import type { ErrorCode } from '../../shared/errors.ts';
import type { Audience } from '../../shared/session.ts';

/** A JSON Schema, draft 2020-12, as far as the document uses it. */
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

/** An answer without an error. */
export interface Answer {
  description: string;
  /** Absent: no body. */
  body?: Schema;
  headers?: Record<string, string>;
}

/** What a question answers without a session, to a viewer and to an administrator. */
export type Asked = readonly [target: string, none: number, viewer: number, admin: number];

/** A route of the service. The service's routers, their answers and `docs/openapi.json` are held against these. */
export interface RouteEntry {
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** With its parameters in braces: `/api/settings/{key}`. */
  path: string;
  /** `anyone`: without a session. */
  who: Audience | 'anyone';
  tag: string;
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  body?: Schema;
  answers: Readonly<Record<number, Answer>>;
  /** Errors of its own: those of the session and of the role follow from `who`, those of any request are not repeated. */
  errors?: readonly ErrorCode[];
  asked?: readonly Asked[];
}

/** Codes that a route can answer, without those that any request can. */
export const errorsOf = ({ who, errors = [] }: RouteEntry): ErrorCode[] => [
  ...(who === 'anyone' ? [] : (['not_authenticated'] as const)),
  ...(who === 'admin' ? (['forbidden'] as const) : []),
  ...errors,
];

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const time: Schema = { type: 'string', format: 'date-time' };
export const uuid: Schema = { type: 'string', format: 'uuid' };

export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: [...values] });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
export const described = (schema: Schema, description: string): Schema => ({ ...schema, description });

/** An object of exactly these members. One that `T` lacks, or that is missing here, does not compile. */
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

/** A query parameter; one that may be left out. */
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
