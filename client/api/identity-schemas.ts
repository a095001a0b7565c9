import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonSchema } from '../../shared/json.ts';
import { base64url } from '../lib/encoding.ts';
import { remember, remembered } from '../lib/tab-storage.ts';
import { readStoredPage } from './identity-batches.ts';
import { identityPublic, RequestError, request, unreadableResponse } from './request.ts';

export interface IdentitySchema {
  id: string;
  schema: JsonSchema;
}

const SCHEMAS_FRESH_MS = 5 * 60_000;

export interface SchemaList {
  /** In the order of the identity service's configuration; the default schema is not marked. */
  schemas: readonly IdentitySchema[];
  /** False if the service could not list its schemas: these are the schemas of a sample of its identities. */
  complete: boolean;
}

export const identitySchemasQuery = queryOptions({
  queryKey: ['identity-schemas'],
  queryFn: async ({ signal }): Promise<SchemaList> => {
    try {
      return { schemas: await listSchemas(signal), complete: true };
    } catch (error) {
      // A single unreachable schema URL breaks the whole list; the other schemas can still be read one by one.
      if (!(error instanceof RequestError) || error.status < 500) throw error;
      const schemas = await schemasInUse(signal).catch(() => []);
      if (schemas.length === 0) throw error;
      return { schemas, complete: false };
    }
  },
  staleTime: SCHEMAS_FRESH_MS,
});

async function listSchemas(signal: AbortSignal): Promise<IdentitySchema[]> {
  const schemas = await request<unknown>(identityPublic('/schemas'), { signal });
  if (Array.isArray(schemas) && schemas.every((entry) => typeof entry?.id === 'string' && isObject(entry.schema)))
    return schemas as IdentitySchema[];
  throw unreadableResponse('identity service', 'a schema');
}

/** The readable schemas of the identities on the first page of the list. */
async function schemasInUse(signal: AbortSignal): Promise<IdentitySchema[]> {
  const { rows: identities } = await readStoredPage(undefined, signal);
  const ids = [...new Set(identities.map(({ schema_id }) => String(schema_id)))].sort();
  const found = await Promise.allSettled(
    ids.map(async (id): Promise<IdentitySchema> => ({ id, schema: await readSchema(id, signal) })),
  );
  return found.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
}

async function readSchema(id: string, signal: AbortSignal): Promise<JsonSchema> {
  const schema = await request<unknown>(identityPublic(`/schemas/${inPath(id)}`), { signal });
  if (isObject(schema)) return schema;
  throw unreadableResponse('identity service', 'a schema');
}

export const identitySchemaQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-schemas', id],
    queryFn: ({ signal }) => readSchema(id, signal),
    staleTime: SCHEMAS_FRESH_MS,
  });

/** The id itself, or base64url (which the identity service also accepts) when the id would be ambiguous in a path. */
const inPath = (id: string): string => (/^[\w-]+$/.test(id) ? id : base64url(new TextEncoder().encode(id)));

const REMEMBERED = 'identities.schema';

/** The only schema, or the schema last chosen in this browser if it still exists. */
export const rememberedSchema = (schemas: readonly { id: string }[]): string | undefined =>
  schemas.length === 1 ? schemas[0]?.id : schemas.find(({ id }) => id === remembered(REMEMBERED))?.id;

export const rememberSchema = (id: string): void => remember(REMEMBERED, id);
