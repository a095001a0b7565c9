import { queryOptions } from '@tanstack/react-query';
import { isObject } from '../json-object.ts';
import { identityPublic } from './identities-prefix.ts';
import { request } from './request.ts';
import { RequestError } from './request-error.ts';

/** A JSON Schema; what traits must look like stands in its property `traits`. */
export type JsonSchema = Record<string, unknown>;

export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

const SCHEMAS_FRESH_MS = 5 * 60_000;

/** Every schema the identity service knows; the first is the one of identities that name none. */
export const identitySchemasQuery = queryOptions({
  queryKey: ['identity-schemas'],
  queryFn: async ({ signal }) => {
    const schemas = await request<unknown>(identityPublic('/schemas'), { signal });
    if (Array.isArray(schemas) && schemas.every((entry) => typeof entry?.id === 'string' && isObject(entry.schema)))
      return schemas as IdentitySchema[];
    throw unreadable();
  },
  staleTime: SCHEMAS_FRESH_MS,
});

export const identitySchemaQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-schemas', id],
    queryFn: async ({ signal }) => {
      const schema = await request<unknown>(identityPublic(`/schemas/${inPath(id)}`), { signal });
      if (isObject(schema)) return schema;
      throw unreadable();
    },
    staleTime: SCHEMAS_FRESH_MS,
  });

/** The id as it stands, or in base64url, which the identity service reads as well, where a path would make it ambiguous. */
const inPath = (id: string): string =>
  /^[\w-]+$/.test(id)
    ? id
    : btoa(String.fromCharCode(...new TextEncoder().encode(id)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');

const unreadable = (): RequestError =>
  new RequestError({
    status: 200,
    code: 'unreadable_answer',
    message: 'The identity service answered with something that is not a schema.',
  });
