import { json, type Route, route } from '../http.ts';
import { pageHeaders, pageRequest } from '../paging.ts';
import { type IdentitySchema, malformed, noSuchResource } from './validation.ts';

/** The identity schemas of a deployment; the first is the default. */
export interface IdentitySchemas {
  readonly all: readonly IdentitySchema[];
  /** The named schema, or the default. @throws IdentityServiceError 400 if it does not exist */
  ofIdentity(schemaId: string | undefined): IdentitySchema;
  /** The schema with this name, plain or as base64url. @throws IdentityServiceError 404 */
  named(name: string): IdentitySchema;
}

export function identitySchemas(all: readonly [IdentitySchema, ...IdentitySchema[]]): IdentitySchemas {
  const find = (id: string) => all.find((schema) => schema.id === id);
  return {
    all,
    ofIdentity: (schemaId) => {
      const schema = schemaId ? find(schemaId) : all[0];
      if (schema === undefined) throw malformed(`Unable to find JSON Schema ID: ${schemaId}`);
      return schema;
    },
    named: (name) => {
      const schema = find(name) ?? find(Buffer.from(name, 'base64url').toString());
      if (schema === undefined) throw noSuchResource(`Identity schema \`${name}\` could not be found.`);
      return schema;
    },
  };
}

/** `/schemas` on the public port. */
export const schemaRoutes = (schemas: IdentitySchemas): Route[] => [
  route('GET', '/schemas', ({ query }) => {
    const requested = pageRequest(query, { defaultSize: 250, maxSize: 500 });
    const from = requested.page * requested.size;
    const headers = pageHeaders('/schemas', query, requested, schemas.all.length, true);
    return json(200, schemas.all.slice(from, from + requested.size), headers);
  }),
  route('GET', '/schemas/:id', ({ params }) => json(200, schemas.named(params.id ?? '').schema)),
];
