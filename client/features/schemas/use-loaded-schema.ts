import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type IdentitySchema, identitySchemaQuery } from '../../api/identity-schemas.ts';

const route = getRouteApi('/signed-in/schemas/$id');

/** The schema of this page, for its tabs: the page shows them only once it is there. */
export function useLoadedSchema(): IdentitySchema {
  const { id } = route.useParams();
  const { data } = useQuery({ ...identitySchemaQuery(id), enabled: false });
  if (data === undefined) throw new Error('useLoadedSchema is only for the tabs of a schema');
  return { id, schema: data };
}
