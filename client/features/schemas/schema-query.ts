import { queryOptions } from '@tanstack/react-query';
import { type IdentitySchema, identitySchemaQuery } from '../../api/identity-schemas.ts';

/** A schema with its id, which stands beside it and not in it. */
export const schemaQuery = (id: string) =>
  queryOptions({ ...identitySchemaQuery(id), select: (schema): IdentitySchema => ({ id, schema }) });
