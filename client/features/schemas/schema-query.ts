import { queryOptions } from '@tanstack/react-query';
import { type IdentitySchema, identitySchemaQuery } from '../../api/identity-schemas.ts';

/** A schema with its id, which is not part of the schema itself. */
export const schemaQuery = (id: string) =>
  queryOptions({ ...identitySchemaQuery(id), select: (schema): IdentitySchema => ({ id, schema }) });
